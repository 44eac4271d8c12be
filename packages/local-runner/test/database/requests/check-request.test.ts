import { describe, expect, test } from "vitest";
import { checkRequest } from "../../../src/database/requests/check-request.ts";

const check = (operation: string, request: object) =>
  checkRequest(`DynamoDB_20120810.${operation}`, JSON.stringify(request), request);

const key = { TableName: "T", Key: { id: { S: "1" } } };
const values = { ExpressionAttributeValues: { ":n": { N: "1" }, ":s": { S: "a" }, ":l": { L: [] }, ":e": { S: "" } } };
const update = (UpdateExpression: string, more: object = {}) => ({ ...key, ...values, UpdateExpression, ...more });
const filter = (FilterExpression: string, more: object = {}) => ({
  TableName: "T",
  ...values,
  FilterExpression,
  ...more,
});
const nested = (depth: number): object => (depth === 0 ? { S: "a" } : { L: [nested(depth - 1)] });

describe("a request outside of the supported subset is refused by the name of its operation and", () => {
  test.for<[what: string, operation: string, request: object]>([
    ["TransactWriteItems", "TransactWriteItems", { TransactItems: [] }],
    ["constructor", "constructor", {}],
    ["PutItem with ReturnConsumedCapacity", "PutItem", { ReturnConsumedCapacity: "TOTAL" }],
    ["PutItem with toString", "PutItem", { toString: "a" }],
    ["UpdateItem with AttributeUpdates", "UpdateItem", update("SET a = :n", { AttributeUpdates: {} })],
    ["UpdateItem with no UpdateExpression", "UpdateItem", key],
    ["Query with no KeyConditionExpression", "Query", { KeyConditions: {} }],
    ["GetItem with ReturnConsumedCapacity", "GetItem", { ...key, ReturnConsumedCapacity: "TOTAL" }],
    ["GetItem with the ARN of a table in place of its name", "GetItem", { ...key, TableName: "arn:aws:dynamodb:…" }],
    ["Scan with Select other than COUNT", "Scan", { TableName: "T", Select: "ALL_ATTRIBUTES" }],
    ["Scan with Select with ProjectionExpression", "Scan", { Select: "COUNT", ProjectionExpression: "a" }],
    ["Scan with TotalSegments above 4096", "Scan", { TableName: "T", Segment: 0, TotalSegments: 4_097 }],
    ["BatchGetItem with ProjectionExpression", "BatchGetItem", { RequestItems: { T: { ProjectionExpression: "a" } } }],
    ["CreateTable with StreamSpecification", "CreateTable", { StreamSpecification: {} }],
    ["PutItem with an attribute named __proto__", "PutItem", JSON.parse('{"Item":{"__proto__":{"S":""}}}')],
    ["PutItem with an empty name of an attribute", "PutItem", { Item: { a: { M: { "": { S: "a" } } } } }],
    [
      "GetItem with an attribute named __proto__",
      "GetItem",
      { ...key, ExpressionAttributeNames: { "#a": "__proto__" } },
    ],
    ["PutItem with a set with an empty value", "PutItem", { Item: { a: { SS: ["", "a"] } } }],
    ["PutItem with more than 31 levels of lists and maps", "PutItem", { Item: { a: nested(32) } }],
    [
      'UpdateItem with UpdateExpression with "SET a.b = :n" (a path into a map or a list)',
      "UpdateItem",
      update("SET a.b = :n"),
    ],
    ['UpdateItem with UpdateExpression with "SET a = a + :n" (arithmetic)', "UpdateItem", update("SET a = a + :n")],
    [
      'UpdateItem with UpdateExpression with "SET a = list_append(a, :l)" (the function list_append)',
      "UpdateItem",
      update("SET a = list_append(a, :l)"),
    ],
    [
      "UpdateItem with UpdateExpression with SET from an attribute that ADD or DELETE changes",
      "UpdateItem",
      update("SET a = #b ADD b :n", { ExpressionAttributeNames: { "#b": "b" } }),
    ],
    [
      "UpdateItem with UpdateExpression with REMOVE or DELETE alone, without a condition that needs the item to exist",
      "UpdateItem",
      update("REMOVE a"),
    ],
    [
      "UpdateItem with UpdateExpression with REMOVE or DELETE alone, without a condition that needs the item to exist",
      "UpdateItem",
      update("REMOVE a", { ConditionExpression: "attribute_exists(a) OR b <> :n" }),
    ],
    [
      'Scan with FilterExpression with "a = b" (a comparison other than of one attribute with one value)',
      "Scan",
      filter("a = b"),
    ],
    [
      'Scan with FilterExpression with ":n = :n" (a comparison other than of one attribute with one value)',
      "Scan",
      filter(":n = :n"),
    ],
    [
      'Scan with FilterExpression with "a BETWEEN b AND :n" (a comparison of two attributes)',
      "Scan",
      filter("a BETWEEN b AND :n"),
    ],
    [
      'Scan with FilterExpression with "attribute_type(a, :s)" (the function attribute_type)',
      "Scan",
      filter("attribute_type(a, :s)"),
    ],
    ['Scan with FilterExpression with "constructor(a)" (the function constructor)', "Scan", filter("constructor(a)")],
    [
      'Scan with FilterExpression with "contains(a, b)" (contains with other operands)',
      "Scan",
      filter("contains(a, b)"),
    ],
    ['Scan with FilterExpression with "a" (it ends early)', "Scan", filter("a")],
    ['Scan with FilterExpression with "a = :n :n" (:n is not expected)', "Scan", filter("a = :n :n")],
    ["Scan with FilterExpression with = with a list or a map", "Scan", filter("a = :l")],
    ["Scan with FilterExpression with in with an empty value or false", "Scan", filter("a IN (:s, :e)")],
    ["Scan with FilterExpression with <> with size()", "Scan", filter("size(a) <> :n")],
    [
      "Scan with FilterExpression with contains with anything but a number or a string that is not empty",
      "Scan",
      filter("contains(a, :e)"),
    ],
    [
      "Scan with FilterExpression with begins_with with a binary value",
      "Scan",
      filter("begins_with(a, :b)", { ExpressionAttributeValues: { ":b": { B: "AA==" } } }),
    ],
    [
      "Scan with FilterExpression with < with characters from U+D800 on",
      "Scan",
      filter("a < :t", { ExpressionAttributeValues: { ":t": { S: "\u{1f600}" } } }),
    ],
  ])("%s", ([what, operation, request]) => {
    expect(check(operation, request)).toEqual({ kind: "unsupported", what });
  });

  test("an earlier version of the API", () => {
    expect(checkRequest("DynamoDB_20111205.GetItem", "{}", {})).toEqual({
      kind: "unsupported",
      what: "DynamoDB_20111205.GetItem",
    });
  });
});

describe("a request that DynamoDB refuses and the engine does not is refused:", () => {
  const writes = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ DeleteRequest: { Key: { id: { S: `${id}` } } } }));
  const alternatives = Array.from({ length: 101 }, () => ":n").join(", ");

  test.for<[message: string, operation: string, request: object]>([
    ["ReturnValues can only be ALL_OLD or NONE", "DeleteItem", { ...key, ReturnValues: "UPDATED_OLD" }],
    ["TotalSegments parameter is required", "Scan", { TableName: "T", Segment: 0 }],
    ["Too many items requested", "BatchWriteItem", { RequestItems: { one: writes(25), two: writes(1) } }],
    ["more than one datatypes set", "BatchWriteItem", { RequestItems: { T: [{ PutRequest: {}, DeleteRequest: {} }] } }],
    ["operator or function: <, operand type: L", "Scan", filter("a < :l")],
    ["operator or function: BETWEEN, operand type: L", "Scan", filter("a BETWEEN :l AND :l")],
    ["Invalid FilterExpression: Too many operands", "Scan", filter(`a IN (${alternatives})`)],
    ["Expression size has exceeded the maximum allowed size; expression size: 5000", "Scan", filter("é".repeat(2_500))],
    ["too many operators; operator count: 301", "Scan", filter(`${"NOT ".repeat(300)}a=:n`)],
    ["less than or equal to 255", "CreateTable", { AttributeDefinitions: [{ AttributeName: "é".repeat(128) }] }],
  ])("%s", ([message, operation, request]) => {
    expect(check(operation, request)).toEqual({ kind: "invalid", message: expect.stringContaining(message) });
  });
});

describe("a request of the supported subset goes to the engine", () => {
  test.for<[operation: string, request: object]>([
    ["UpdateItem", update("REMOVE a DELETE b :s", { ConditionExpression: "attribute_exists(a) AND c <> :n" })],
    ["UpdateItem", update("remove a", { ConditionExpression: "(a = :n OR b IN (:s)) AND attribute_not_exists(c)" })],
    [
      "UpdateItem",
      update("SET a = b, c = if_not_exists(d, :n) ADD e :n", { ReturnValuesOnConditionCheckFailure: null }),
    ],
    [
      "Query",
      { TableName: "T", IndexName: "I", ...values, KeyConditionExpression: "id = :s AND begins_with(sort, :s)" },
    ],
    [
      "BatchWriteItem",
      { RequestItems: { T: [{ PutRequest: { Item: key.Key } }, { DeleteRequest: { Key: key.Key } }] } },
    ],
    ["BatchGetItem", { RequestItems: { T: { Keys: [key.Key], ConsistentRead: true } } }],
    ["PutItem", { TableName: "T", Item: { a: nested(31) } }],
    // The engine refuses what has a wrong form.
    ["PutItem", { TableName: 1, Item: [], ExpressionAttributeValues: { ":a": "b" }, ConditionExpression: 2 }],
    ["BatchWriteItem", { RequestItems: { T: "a" } }],
  ])("unchanged: %s %j", ([operation, request]) => {
    const text = JSON.stringify(request);
    expect(check(operation, request)).toEqual({ kind: "supported", text });
  });

  test("with numbers that DynamoDB reads and the engine does not written in its way, and nothing else changed", () => {
    const given = {
      a: { N: "+3" },
      b: { NS: ["-0", "+.5"] },
      c: { L: [{ M: { d: { N: "-0.0e5" } } }] },
      e: { S: "+3" },
    };
    const written = { a: { N: "3" }, b: { NS: ["0", ".5"] }, c: { L: [{ M: { d: { N: "0.0e5" } } }] }, e: { S: "+3" } };
    expect(check("PutItem", { Item: given })).toEqual({ kind: "supported", text: JSON.stringify({ Item: written }) });
  });

  test("if it is no DynamoDB request at all, so that the engine answers it", () => {
    expect(checkRequest(undefined, "{}", {})).toEqual({ kind: "supported", text: "{}" });
    expect(checkRequest("DynamoDB_20120810.GetItem", "nonsense", undefined)).toEqual({
      kind: "supported",
      text: "nonsense",
    });
  });
});
