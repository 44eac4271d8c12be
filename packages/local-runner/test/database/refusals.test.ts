import { describe, expect, test } from "vitest";
import { openEngine } from "../../src/database/engine/engine.ts";
import { createMemoryStorage } from "../../src/database/engine/storage.ts";

const engine = openEngine({ storage: createMemoryStorage() });
for (const TableName of ["Items", "Others"]) {
  const AttributeDefinitions = [{ AttributeName: "id", AttributeType: "S" }];
  engine.perform("CreateTable", {
    TableName,
    AttributeDefinitions,
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
}

const TableName = "Items";
const key = { TableName, Key: { id: { S: "1" } } };
const all = { ":n": { N: "1" }, ":s": { S: "a" }, ":l": { L: [] } };
/** The values that an expression uses. */
const valuesOf = (expression: string) => {
  const used = Object.entries(all).filter(([name]) => expression.includes(name));
  return used.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(used) };
};
const update = (UpdateExpression: string) => ({ ...key, UpdateExpression, ...valuesOf(UpdateExpression) });
const filter = (FilterExpression: string) => ({ TableName, FilterExpression, ...valuesOf(FilterExpression) });
const put = (attributes: object) => ({ TableName, Item: { ...key.Key, ...attributes } });
const nested = (depth: number): object => (depth === 0 ? { S: "a" } : { L: [nested(depth - 1)] });
const puts = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ PutRequest: { Item: { id: { S: `${id}` } } } }));
const batch = (requests: object) => ({ RequestItems: requests });
const oneOf = (count: number) => `a IN (${Array.from({ length: count }, () => ":n").join(", ")})`;

describe("a request outside of the supported subset is refused by the name of its operation and", () => {
  test.for<[what: string, operation: string, request: object]>([
    ["TransactWriteItems", "TransactWriteItems", { TransactItems: [] }],
    ["constructor", "constructor", {}],
    ["PutItem with ReturnConsumedCapacity", "PutItem", { ...put({}), ReturnConsumedCapacity: "TOTAL" }],
    ["PutItem with toString", "PutItem", { ...put({}), toString: "a" }],
    ["UpdateItem with AttributeUpdates", "UpdateItem", { ...update("SET a = :n"), AttributeUpdates: {} }],
    ["Query with no KeyConditionExpression", "Query", { TableName }],
    ["GetItem with ReturnConsumedCapacity", "GetItem", { ...key, ReturnConsumedCapacity: "TOTAL" }],
    ["GetItem with the ARN of a table in place of its name", "GetItem", { ...key, TableName: "arn:aws:dynamodb:…" }],
    ["Scan with Select other than COUNT", "Scan", { TableName, Select: "ALL_ATTRIBUTES" }],
    ["Scan with Select with ProjectionExpression", "Scan", { TableName, Select: "COUNT", ProjectionExpression: "a" }],
    [
      "BatchGetItem with RequestItems.Items.ProjectionExpression",
      "BatchGetItem",
      batch({ Items: { Keys: [key.Key], ProjectionExpression: "a" } }),
    ],
    ["CreateTable with StreamSpecification", "CreateTable", { TableName, StreamSpecification: {} }],
    ["PutItem with an attribute named __proto__", "PutItem", put(JSON.parse('{"a":{"M":{"__proto__":{"S":""}}}}'))],
    ["PutItem with an empty name of an attribute", "PutItem", put({ a: { M: { "": { S: "a" } } } })],
    [
      "GetItem with an attribute named __proto__",
      "GetItem",
      { ...key, ExpressionAttributeNames: { "#a": "__proto__" } },
    ],
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
      'UpdateItem with UpdateExpression with "constructor a" (the clause CONSTRUCTOR)',
      "UpdateItem",
      update("constructor a"),
    ],
    ['Scan with FilterExpression with ":n = :n" (a comparison of two values)', "Scan", filter(":n = :n")],
    [
      'Scan with FilterExpression with "a BETWEEN b AND :n" (an attribute in the place of a value)',
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
    [
      "Scan with FilterExpression with contains with anything but a string, a number or a binary",
      "Scan",
      filter("contains(a, :l)"),
    ],
  ])("%s", ([what, operation, request]) => {
    expect(() => engine.perform(operation, request)).toThrow(expect.objectContaining({ message: what }));
  });
});

describe("a request that DynamoDB refuses is refused:", () => {
  test.for<[message: string, operation: string, request: object]>([
    ["Table: None not found", "GetItem", { ...key, TableName: "None" }],
    ["Table already exists", "CreateTable", { TableName, AttributeDefinitions: [], KeySchema: [] }],
    ["element does not match the schema", "GetItem", { ...key, Key: { id: { N: "1" } } }],
    ["element does not match the schema", "GetItem", { ...key, Key: {} }],
    ["Missing the key id", "PutItem", { TableName, Item: {} }],
    ["cannot contain an empty string value", "PutItem", put({ id: { S: "" } })],
    ["Size of hashkey", "PutItem", put({ id: { S: "é".repeat(1_025) } })],
    ["Null attribute value", "PutItem", put({ a: { NULL: false } })],
    ["may not be empty", "PutItem", put({ a: { SS: [] } })],
    ["contains duplicates", "PutItem", put({ a: { NS: ["1", "1.0"] } })],
    ["more than one datatypes", "PutItem", put({ a: { S: "a", N: "1" } })],
    ["Nesting Levels", "PutItem", put({ a: nested(33) })],
    ["can not be converted to a String", "PutItem", put({ a: { S: 1 } })],
    ["Base64", "PutItem", put({ a: { B: "%" } })],
    ["'Item' is required", "PutItem", { TableName }],
    ["TableName", "PutItem", { ...put({}), TableName: 1 }],
    ["ReturnValues can only be ALL_OLD or NONE", "DeleteItem", { ...key, ReturnValues: "UPDATED_OLD" }],
    ["Cannot update attribute id", "UpdateItem", update("SET id = :s")],
    ["paths overlap", "UpdateItem", update("SET a = :s REMOVE a")],
    ["can only be used once", "UpdateItem", update("SET a = :s SET b = :s")],
    ["does not exist in the item", "UpdateItem", update("SET a = b")],
    ["Incorrect operand type", "UpdateItem", update("ADD a :s")],
    ["reserved keyword: Name", "UpdateItem", update("SET Name = :s")],
    ["attribute name: #a", "UpdateItem", update("SET #a = :s")],
    ["attribute value: :x", "UpdateItem", update("SET a = :x")],
    ["unused in expressions: keys: {:s}", "UpdateItem", { ...update("SET a = :n"), ...valuesOf(":n :s") }],
    ["redundant parentheses", "Scan", filter("((a = :n))")],
    ["first operand must be distinct", "Scan", filter("a = a")],
    [
      "upper bound to be greater",
      "Scan",
      { ...filter("a BETWEEN :s AND :n"), ExpressionAttributeValues: { ":s": { N: "2" }, ":n": { N: "1" } } },
    ],
    ["same data type for lower and upper", "Scan", filter("a BETWEEN :s AND :n")],
    ["operator or function: <, operand type: L", "Scan", filter("a < :l")],
    ["operator or function: begins_with, operand type: N", "Scan", filter("begins_with(a, :n)")],
    ["Invalid FilterExpression: Too many operands", "Scan", filter(oneOf(101))],
    ["maximum allowed size; expression size: 5000", "Scan", filter("é".repeat(2_500))],
    ["too many operators; operator count: 301", "Scan", filter(`${"NOT ".repeat(300)}a=:n`)],
    ["TotalSegments parameter is required", "Scan", { TableName, Segment: 0 }],
    ["zero-based", "Scan", { TableName, Segment: 1, TotalSegments: 1 }],
    ["starting key is invalid", "Scan", { TableName, ExclusiveStartKey: { ...key.Key, a: { S: "a" } } }],
    ["missed key schema element: id", "Query", { TableName, KeyConditionExpression: "a = :s", ...valuesOf(":s") }],
    ["key condition not supported", "Query", { TableName, KeyConditionExpression: "id > :s", ...valuesOf(":s") }],
    ["does not match schema type", "Query", { TableName, KeyConditionExpression: "id = :n", ...valuesOf(":n") }],
    ["Invalid operator", "Query", { TableName, KeyConditionExpression: "id = :s OR id = :s", ...valuesOf(":s") }],
    [
      "non-primary key attributes: Primary key attribute: id",
      "Query",
      { ...filter("id = :s"), KeyConditionExpression: "id = :s" },
    ],
    ["Too many items requested", "BatchWriteItem", batch({ Items: puts(25), Others: puts(1) })],
    [
      "more than one datatypes",
      "BatchWriteItem",
      batch({ Items: [{ PutRequest: { Item: key.Key }, DeleteRequest: { Key: key.Key } }] }),
    ],
    ["RequestItems", "BatchGetItem", batch({})],
    [
      "255",
      "CreateTable",
      { TableName: "New", AttributeDefinitions: [{ AttributeName: "é".repeat(256), AttributeType: "S" }] },
    ],
    [
      "not defined in AttributeDefinitions",
      "CreateTable",
      { TableName: "New", AttributeDefinitions: [], KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] },
    ],
  ])("%s, %s", ([message, operation, request]) => {
    expect(engine.perform(operation, request)).toMatchObject({
      status: 400,
      body: { __type: expect.stringContaining("#"), message: expect.stringContaining(message) },
    });
  });
});
