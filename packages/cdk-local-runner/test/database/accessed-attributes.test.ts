import { expect, test } from "vitest";
import { accessedAttributes } from "../../src/database/accessed-attributes.ts";

const key = { Key: { id: { S: "a" } } };
const update = (UpdateExpression: string, rest: object = {}) => ({ ...key, UpdateExpression, ...rest });

test.each([
  ["an update", "UpdateItem", update("SET used = :now"), ["id", "used"]],
  [
    "all clauses, functions and a condition",
    "UpdateItem",
    update("SET a = if_not_exists(b, :x), c = d REMOVE e ADD f :n DELETE g :s", {
      ConditionExpression: "attribute_exists(h) AND NOT (i < :x or j BETWEEN :x AND :y) and k in (:x) AND size(l)>:n",
    }),
    ["id", ..."abcdefghijkl"],
  ],
  [
    "placeholders for names",
    "UpdateItem",
    update("SET #a = :x, c = #d", { ExpressionAttributeNames: { "#a": "a.b", "#d": "secret" } }),
    ["id", "a.b", "c", "secret"],
  ],
  ["an undefined placeholder", "UpdateItem", update("SET #a = :x"), ["id", "#a"]],
  [
    "paths into documents",
    "UpdateItem",
    update("SET a.b[0] = #c.d, e = list_append(f, :x) - g REMOVE h[1]", { ExpressionAttributeNames: { "#c": "c" } }),
    ["id", ..."acefgh"],
  ],
  [
    "a check in a transaction",
    "ConditionCheckItem",
    { ...key, ConditionExpression: "a.b = :b AND attribute_type(c, :c)" },
    ["id", "a", "c"],
  ],
  ["an attribute with the name of a function", "UpdateItem", update("SET contains = :x"), ["id", "contains"]],
  ["a put", "PutItem", { Item: { id: {}, ip: {} }, ConditionExpression: "attribute_not_exists(x)" }, ["id", "ip", "x"]],
  ["a read of named attributes", "GetItem", { ...key, ProjectionExpression: "a, b" }, ["id", "a", "b"]],
  ["a deletion", "DeleteItem", { ...key, ConditionExpression: "attribute_exists(a)" }, ["id", "a"]],
  [
    "a query",
    "Query",
    { ProjectionExpression: "a", KeyConditionExpression: "id = :a", FilterExpression: "b > :b" },
    ["a", "id", "b"],
  ],
  [
    "a batch of writes",
    "BatchWriteItem",
    { RequestItems: { T: [{ PutRequest: { Item: { id: {}, a: {} } } }, { DeleteRequest: { Key: { sort: {} } } }] } },
    ["id", "a", "sort"],
  ],
])("%s accesses the attributes that it names", (_, action, body, attributes) => {
  const accessed = accessedAttributes(`dynamodb:${action}`, body);
  expect([...accessed].toSorted()).toEqual(attributes.toSorted());
});

test.each([
  ["a read of whole items", "GetItem", key],
  ["a scan", "Scan", { FilterExpression: "a = :a" }],
  ["an update that returns the item", "UpdateItem", update("SET a = :a", { ReturnValues: "ALL_NEW" })],
  ["a failure that returns the item", "PutItem", { Item: {}, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }],
  ["a transaction", "TransactWriteItems", { TransactItems: [{ Update: update("SET a = :a") }] }],
  ["a statement in PartiQL", "ExecuteStatement", { Statement: "SELECT a FROM T" }],
  ["an action on a table", "DescribeTable", { TableName: "T" }],
  ["an expression that is not understood", "UpdateItem", update("SET é = :a")],
  ["a function that is not supported", "UpdateItem", update("SET a = f(b, :a)")],
  ["a body that is not an object", "UpdateItem", "text"],
])("%s accesses all attributes", (_, action, body) => {
  expect(accessedAttributes(`dynamodb:${action}`, body)).toBe("all");
});
