import { expect, test } from "vitest";
import { openEngine } from "../../src/database/engine/engine.ts";
import { createMemoryStorage } from "../../src/database/engine/storage.ts";

const hashKey = [{ AttributeName: "id", KeyType: "HASH" }];
const BillingMode = "PAY_PER_REQUEST";
const engine = openEngine({ storage: createMemoryStorage() });
const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" });
const hashes = (...names: string[]) => names.map((AttributeName) => ({ AttributeName, KeyType: "HASH" }));
const indexOn = (KeySchema: object[]) => [{ IndexName: "several", KeySchema, Projection: { ProjectionType: "ALL" } }];
engine.perform("CreateTable", {
  ...{ TableName: "Items", BillingMode, AttributeDefinitions: [text("id")], KeySchema: hashKey },
});
engine.perform("CreateTable", {
  ...{ TableName: "Others", BillingMode, AttributeDefinitions: ["id", "a", "b"].map(text), KeySchema: hashKey },
  GlobalSecondaryIndexes: indexOn(hashes("a", "b")),
});

const TableName = "Items";
const key = { TableName, Key: { id: { S: "1" } } };
const all = { ":m": { N: "2" }, ":n": { N: "1" }, ":s": { S: "a" }, ":l": { L: [] } };
/** Returns the values that an expression uses. */
const valuesOf = (expression: string) => {
  const used = Object.entries(all).filter(([name]) => expression.includes(name));
  return used.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(used) };
};
const update = (UpdateExpression: string) => ({ ...key, UpdateExpression, ...valuesOf(UpdateExpression) });
const filter = (FilterExpression: string) => ({ TableName, FilterExpression, ...valuesOf(FilterExpression) });
const put = (attributes: object) => ({ TableName, Item: { ...key.Key, ...attributes } });
const long = { S: "é".repeat(1_025) };
const nested = (depth: number): object => (depth === 0 ? { S: "a" } : { L: [nested(depth - 1)] });
const transaction = (...TransactItems: object[]) => ({ TransactItems });
const puts = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ PutRequest: { Item: { id: { S: `${id}` } } } }));
const batch = (requests: object) => ({ RequestItems: requests });
const newTable = (AttributeDefinitions: object[], KeySchema: object[] = []) => ({
  ...{ TableName: "New", BillingMode, AttributeDefinitions, KeySchema },
});
const withIndex = (KeySchema: object[]) => ({
  ...newTable(["id", "a", "b", "c", "d", "e"].map(text), hashKey),
  GlobalSecondaryIndexes: indexOn(KeySchema),
});
const [range] = hashes("b").map((key) => ({ ...key, KeyType: "RANGE" }));
const query = (KeyConditionExpression: string, more: object = {}) => ({
  ...{ TableName, KeyConditionExpression, ...valuesOf(KeyConditionExpression), ...more },
});
const longKeys = {
  TableName: "Others",
  Item: { id: { S: "1" }, a: { S: "a".repeat(2_000) }, b: { S: "b".repeat(49) } },
};
const oneOf = (count: number) => `a IN (${Array.from({ length: count }, () => ":n").join(", ")})`;

test.for<[what: string, operation: string, request: object]>([
  ["TransactGetItems", "TransactGetItems", { TransactItems: [] }],
  [
    "TransactWriteItems with TransactItems.0.Put.ReturnValues",
    "TransactWriteItems",
    transaction({ Put: { ...put({}), ReturnValues: "NONE" } }),
  ],
  ["constructor", "constructor", {}],
  ["PutItem with ReturnConsumedCapacity", "PutItem", { ...put({}), ReturnConsumedCapacity: "TOTAL" }],
  ["PutItem with toString", "PutItem", { ...put({}), toString: "a" }],
  ["UpdateItem with AttributeUpdates", "UpdateItem", { ...update("SET a = :n"), AttributeUpdates: {} }],
  ["Query with no KeyConditionExpression", "Query", { TableName }],
  ["GetItem with ReturnConsumedCapacity", "GetItem", { ...key, ReturnConsumedCapacity: "TOTAL" }],
  ["GetItem with the ARN of a table in place of its name", "GetItem", { ...key, TableName: "arn:aws:dynamodb:…" }],
  ["Scan with Select other than SPECIFIC_ATTRIBUTES", "Scan", { TableName, Select: "COUNT" }],
  [
    "Query with ExclusiveStartKey for a table without a sort key",
    "Query",
    query("id = :s", { ExclusiveStartKey: key.Key }),
  ],
  [
    "UpdateItem with ReturnValues UPDATED_NEW for a path into a map or a list",
    "UpdateItem",
    { ...update("SET a.b = :n"), ReturnValues: "UPDATED_NEW" },
  ],
  ["CreateTable with StreamSpecification", "CreateTable", { TableName, StreamSpecification: {} }],
  ["CreateTable with BillingMode other than PAY_PER_REQUEST", "CreateTable", { ...newTable([]), BillingMode: null }],
  ["PutItem with HASH attributes of several of more than 2048 bytes together", "PutItem", { ...longKeys }],
  ["PutItem with an attribute named __proto__", "PutItem", put(JSON.parse('{"a":{"M":{"__proto__":{"S":""}}}}'))],
  ["GetItem with an attribute named __proto__", "GetItem", { ...key, ExpressionAttributeNames: { a: "__proto__" } }],
  [
    "Scan with FilterExpression with contains with anything but a string, a number or a binary",
    "Scan",
    filter("contains(a, :l)"),
  ],
])("rejects %s as unsupported, and names it", ([what, operation, request]) => {
  expect(() => engine.perform(operation, request)).toThrow(expect.objectContaining({ message: what }));
});

test.for([
  ["SET a[b] = :n", "b instead of an index"],
  ["SET a = f(a, :l)", "the function f"],
  ["SET a = if_not_exists(a, if_not_exists(b, :n))", "the function if_not_exists"],
  ["SET a = list_append(a, list_append(b, :l))", "the function list_append"],
  ["constructor a", "the clause CONSTRUCTOR"],
  [":n = :n", "a comparison of two values"],
  ["a BETWEEN b AND :n", "an attribute instead of a value"],
  ["attribute_type(a, b)", "attribute_type with other operands"],
  ["constructor(a)", "the function constructor"],
  ["contains(a, b)", "contains with other operands"],
  ["a", "it ends early"],
  ["(".repeat(4_096), "too many parentheses"],
  ["a = :n :n", ":n is not expected"],
] as const)("rejects the unsupported expression %s with the reason: %s", ([expression, reason]) => {
  const isUpdate = /^(SET|constructor) /.test(expression);
  const [operation, parameter, request] = isUpdate
    ? (["UpdateItem", "UpdateExpression", update(expression)] as const)
    : (["Scan", "FilterExpression", filter(expression)] as const);
  const message = `${operation} with ${parameter} with "${expression}" (${reason})`;
  expect(() => engine.perform(operation, request)).toThrow(expect.objectContaining({ message }));
});

test.for<[message: string, operation: string, request: object]>([
  ["Requested resource not found", "GetItem", { ...key, TableName: "None" }],
  ["Table: None not found", "DescribeTable", { TableName: "None" }],
  ["Table already exists", "CreateTable", { ...newTable([]), TableName }],
  ["element does not match the schema", "GetItem", { ...key, Key: { id: { N: "1" } } }],
  ["element does not match the schema", "GetItem", { ...key, Key: {} }],
  ["Missing the key id", "PutItem", { TableName, Item: {} }],
  ["cannot contain an empty string value. Key: id", "PutItem", put({ id: { S: "" } })],
  ["size limit of 2048 bytes", "PutItem", put({ id: long })],
  ["Null attribute value", "PutItem", put({ a: { NULL: false } })],
  ["may not be empty", "PutItem", put({ a: { SS: [] } })],
  ["contains duplicates", "PutItem", put({ a: { NS: ["1", "1.0"] } })],
  ["more than one datatypes", "PutItem", put({ a: { S: "a", N: "1" } })],
  ["Nesting Levels", "PutItem", put({ a: nested(32) })],
  ["can not be converted to a String", "PutItem", put({ a: { S: 1 } })],
  ["Base64", "PutItem", put({ a: { B: "%" } })],
  ["Item is missing", "PutItem", { TableName }],
  ["TableName: must be of type string", "PutItem", { ...put({}), TableName: 1 }],
  ["ReturnValues must be NONE or ALL_OLD", "DeleteItem", { ...key, ReturnValues: "UPDATED_OLD" }],
  ["Cannot update attribute id", "UpdateItem", update("SET id = :s")],
  ["paths overlap", "UpdateItem", update("SET a = :s REMOVE a")],
  ["paths overlap", "UpdateItem", update("SET a.b = :s REMOVE a.b.c[0]")],
  ["paths conflict", "UpdateItem", update("SET a.b = :s, a[0] = :s")],
  ["document path provided in the update expression is invalid", "UpdateItem", update("SET a.b = :s")],
  ["document path provided in the update expression is invalid", "UpdateItem", update("SET a[0] = :s")],
  ["function: list_append, operand type: S", "UpdateItem", update("SET a = list_append(a, :s)")],
  ["function: +, operand type: S", "UpdateItem", update("SET a = if_not_exists(a, :n) + :s")],
  ["incorrect data type", "UpdateItem", update("SET a = if_not_exists(a, :s) + :n")],
  ["Invalid attribute type name found; type: a", "Scan", filter("attribute_type(a, :s)")],
  ["cannot have conditions on nested attributes", "Query", query("id.a = :s")],
  ["can only be used once", "UpdateItem", update("SET a = :s SET b = :s")],
  ["does not exist in the item", "UpdateItem", update("SET a = b")],
  ["Incorrect operand type", "UpdateItem", update("ADD a :s")],
  ["reserved keyword: Name", "UpdateItem", update("SET Name = :s")],
  ["is not defined; attribute name: #a", "UpdateItem", update("SET #a = :s")],
  ["is not defined; attribute value: :x", "UpdateItem", update("SET a = :x")],
  ["unused in expressions: keys: {:s}", "UpdateItem", { ...update("SET a = :n"), ...valuesOf(":n :s") }],
  ["UpdateExpression and ConditionExpression are null", "UpdateItem", { ...key, ...valuesOf(":n") }],
  ["redundant parentheses", "Scan", filter("((a = :n))")],
  ["first operand must be distinct", "Scan", filter("a = a")],
  ["upper bound to be greater", "Scan", filter("a BETWEEN :m AND :n")],
  ["same data type for lower and upper", "Scan", filter("a BETWEEN :s AND :n")],
  ["or function: <, operand type: L", "Scan", filter("a < :l")],
  ["or function: begins_with, operand type: N", "Scan", filter("begins_with(a, :n)")],
  ["Invalid FilterExpression: Too many operands", "Scan", filter(oneOf(101))],
  ["maximum allowed size; expression size: 5000", "Scan", filter("é".repeat(2_500))],
  ["too many operators; operator count: 301", "Scan", filter(`${"NOT ".repeat(300)}a=:n`)],
  ["starting key is invalid", "Scan", { TableName, ExclusiveStartKey: { ...key.Key, a: { S: "a" } } }],
  ["missed key schema element: id", "Query", query("a = :s")],
  ["key condition not supported", "Query", query("id > :s")],
  ["key condition not supported", "Query", query("id = :s AND a = :n")],
  ["does not match schema type", "Query", query("id = :n")],
  ["Invalid operator", "Query", query("id = :s OR id = :s")],
  ["size limit of 2048 bytes", "Query", { ...query("id = :s"), ExpressionAttributeValues: { ":s": long } }],
  ["non-primary key attributes, not id", "Query", query("id = :s", { FilterExpression: "id = :s" })],
  ["Too many items requested", "BatchWriteItem", batch({ Items: puts(25), Others: puts(1) })],
  ["either a PutRequest or a DeleteRequest", "BatchWriteItem", batch({ Items: [{}] })],
  ["requestItems parameter is required for BatchWriteItem", "BatchWriteItem", batch({})],
  ["RequestItems.Items must be at most 25", "BatchWriteItem", batch({ Items: puts(26) })],
  ["not defined in AttributeDefinitions", "CreateTable", newTable([text("a")], hashKey)],
  ["must have 1 to 4 HASH keys", "CreateTable", withIndex(hashes("a", "b", "c", "d", "e"))],
  ["KeySchema must be at most 2", "CreateTable", newTable(["id", "a", "b"].map(text), hashes("id", "a", "b"))],
  ["must have 1 to 1 HASH keys", "CreateTable", newTable(["id", "a"].map(text), hashes("id", "a"))],
  ["HASH keys must precede RANGE keys", "CreateTable", withIndex([...hashes("a"), range ?? {}, ...hashes("c")])],
  ["have the same name", "CreateTable", withIndex(hashes("a", "a"))],
  ["exactly one operation", "UpdateTable", { TableName, GlobalSecondaryIndexUpdates: [{}] }],
  [
    "No global secondary index",
    "UpdateTable",
    { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "none" } }] },
  ],
  ["TableName must consist of letters", "Scan", { TableName: "a/b" }],
  ["Limit must be at least 1", "Scan", { TableName, Limit: 0 }],
])("rejects requests that DynamoDB would reject: %s, %s", ([message, operation, request]) => {
  expect(engine.perform(operation, request)).toMatchObject({
    status: 400,
    body: { __type: expect.stringContaining("#"), message: expect.stringContaining(message) },
  });
});
