import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { mapStores, tables } from "../../../../lambdas/domain/built-in-stores.ts";
import { connect } from "../../../../lambdas/domain/create-stores.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import { keyNamesOf } from "../../../../lambdas/dynamodb/table.ts";
import { updatedAttributes } from "../../../../tools/support/updated-item.ts";
import { hourMs, inMs, newToken } from "../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import type { AwsRequest, StubAnswer } from "../../../support/aws-stub.ts";
import { useDynamoDBStub } from "../../support/dynamodb-stub.ts";
import { apiErrorOf } from "../../support/outcomes.ts";

let respond: (request: AwsRequest) => StubAnswer;
const stub = useDynamoDBStub((request) => respond(request));

const stores = () => {
  const { client, keyNames } = connect();
  mapStores((name) => keyNames.set(name, keyNamesOf(tables[name])));
  return {
    keys: openStore(tables.keys, { client, tableName: "keys" }),
    tokens: openStore(tables.tokens, { client, tableName: "tokens" }),
    limits: openStore(tables.limits, { client, tableName: "limits" }),
    usage: openStore(tables.usage, { client, tableName: "usage" }),
  };
};
type Call = (all: ReturnType<typeof stores>) => Promise<unknown>;

const { record } = newToken();
const { token_id } = record;
const pair = { key_id: "1", v_code: "v".repeat(64) };
const key = { ...pair, created_at: inMs(0), updated_at: inMs(0) };
const revocation = { revoked_at: inMs(0), revoked_by: "admin" };
const take: Call = ({ limits }) => limits.take(token_id, { minute: "2026-11-21T10:15Z", limit: 5 });

const changes: [string, Call][] = [
  ["keys.create", ({ keys }) => keys.create(pair, author)],
  ["keys.replace", ({ keys }) => keys.replace(pair, author)],
  ["keys.delete", ({ keys }) => keys.delete("1", author)],
  ["tokens.insert", ({ tokens }) => tokens.insert(record, noteOf("issued"))],
  ["tokens.revoke", ({ tokens }) => tokens.revoke(token_id, revocation, author)],
  ["tokens.settle", ({ tokens }) => tokens.settle(token_id)],
  ["limits.take", take],
];

/** A call for each DynamoDB operation, and for each kind of attributes that an update returns. */
const calls: [string, Call][] = [
  ["GetItem", ({ keys }) => keys.get("1")],
  ["Scan", ({ keys }) => keys.list({ limit: 1 })],
  ["UpdateItem with all attributes", ({ keys }) => keys.create(pair, author)],
  ["UpdateItem with new attributes", take],
  ["UpdateItem without attributes", ({ tokens }) => tokens.recordUse(token_id, inMs(0))],
];
/** The checks of a Query are those of a Scan. */
const query: Call = ({ usage }) => usage.leaks(inMs(-hourMs));

const page = { Items: [], Count: 0, ScannedCount: 0 };
/** Responses from something other than DynamoDB. */
const strange: [string, unknown, Record<string, string>?][] = [
  ["a message", { message: "maintenance" }],
  ["an error", { error: "Bad Gateway" }],
  ["a type", { __type: "com.amazon.coral.service#InternalFailure" }],
  ["no attributes", { Attributes: null }],
  ["no item", { Item: null }],
  ["a list as an item", { Item: [], Attributes: [] }],
  ["one name more", { ...page, Item: {}, Attributes: {}, Hint: "" }],
  ["the item of another key", { Item: toItem({ key_id: "2", token_id: "2" }) }],
  ["a key to continue from that is not a key", { ...page, LastEvaluatedKey: { other: { S: "1" } } }],
  [
    "a key to continue from with one name more",
    { ...page, LastEvaluatedKey: toItem({ key_id: "1", subject: "1", entry: "1", more: "1" }) },
  ],
  ["an empty key to continue from", { ...page, LastEvaluatedKey: {} }],
  ["a string to continue from", { ...page, LastEvaluatedKey: "1" }],
  ["no list of items", { Count: 0, ScannedCount: 0 }],
  ["a list of strings", { Items: ["1"], Count: 1, ScannedCount: 1 }],
  ["a wrong count", { ...page, Count: 1, ScannedCount: 1 }],
  ["a count of what was read that is a string", { ...page, ScannedCount: "0" }],
  ["a count of what was read that is too low", { Items: [{}], Count: 1, ScannedCount: 0 }],
  ["an item and an error", { Item: toItem({ key_id: "1", token_id }), Message: "No." }],
  ["a list", []],
  ["null", "null"],
  ["a string", '"Item"'],
  ["nothing", ""],
  ["half an object", '{"Item":'],
  ["a web page", "<html></html>"],
  ["an object with a wrong checksum", "{}", { "x-amz-crc32": String(crc32("{}") + 1) }],
];
const failures: StubAnswer[] = [
  ...["ExpiredTokenException", "RequestExpired", "InvalidSignatureException", "UnrecognizedClientException"].map(
    (name) => ({ status: 400, body: { __type: `com.amazon.coral.service#${name}`, message: "No." } }),
  ),
  ...[301, 307, 403, 404, 413, 500, 503].map((status) => ({ status, body: { message: "No." } })),
];

describe.for(calls)("%s", ([, call]) => {
  test.for(strange)("is retried and then unavailable if the response is %s", async ([, body, headers = {}]) => {
    respond = () => ({ body, headers });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
    expect(stub().requests).toHaveLength(3);
  });
});

test.for(failures)("every operation is unavailable if the response is $status $body", async (response) => {
  respond = () => response;
  for (const call of [query, ...calls.map(([, call]) => call)])
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
});

test("a Query is retried and then unavailable if the response is not a page", async () => {
  respond = () => ({ body: { Count: 0 } });
  expect((await apiErrorOf(query(stores()))).code).toBe("unavailable");
  expect(stub().requests).toHaveLength(3);
});

describe.for(changes)("%s", ([, call]) => {
  test.for([
    ["nothing", {}],
    ["an empty item", { Attributes: {} }],
    ["the key of the item", { Attributes: toItem({ key_id: "1", token_id }) }],
    ["the item as it was before", { Attributes: toItem({ ...record, ...key, v_code: "w".repeat(64) }) }],
  ])("does not report success if the response is %s", async ([, body = {}]) => {
    respond = () => ({ body });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
  });
});

test.for<[string, object]>([
  ["none", {}],
  ["that AWS adds", { Added: { S: "x" } }],
  ["that nobody asked for", { ConsumedCapacity: { TableName: "Keys", CapacityUnits: 1 } }],
])("ignores additional fields in a valid response, its items and attributes: %s", async ([, more]) => {
  const added = (item: object) => ({ ...item, added: { M: {}, ...more } });
  const item = { ...toItem(key), v_code: { S: pair.v_code, ...more } };
  respond = ({ operation, body }) => {
    if (operation === "GetItem") return { body: { Item: added(item), ...more } };
    if (operation === "UpdateItem") return { body: { Attributes: added(updatedAttributes(body)), ...more } };
    return { body: { Items: [added(item)], Count: 1, ScannedCount: 1, ...more } };
  };
  const { keys } = stores();
  expect(await keys.get("1")).toEqual(key);
  expect(await keys.create(pair, author)).toMatchObject({ outcome: "created", key: pair });
  expect((await keys.list({ limit: 1 })).keys).toEqual([key]);
});

test.for<[string, string, Record<string, string>?]>([
  ["has the right checksum", "{}", { "x-amz-crc32": String(crc32("{}")) }],
  ["has no checksum", "{}"],
  ["begins with whitespace", "\r\n\t {}\n"],
])("accepts a response that %s", async ([, body, headers = {}]) => {
  respond = () => ({ body, headers });
  expect(await stores().keys.get("1")).toBeUndefined();
  expect(stub().requests).toHaveLength(1);
});

test("accepts a page without counts", async () => {
  respond = () => ({ body: { Items: [toItem(key)] } });
  expect((await stores().keys.list({ limit: 1 })).keys).toEqual([key]);
  expect(stub().requests).toHaveLength(1);
});

test.for([
  ["1", "taken", 1],
  ["2", "unavailable", 3],
] as const)(
  "uses the item of a failed condition only if it is the item that was requested: %s",
  async ([key_id, outcome, count]) => {
    const __type = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
    const Item = toItem({ ...key, key_id, v_code: "w".repeat(64) });
    respond = () => ({ status: 400, body: { __type, message: "No.", Item } });
    const creating = stores().keys.create(pair, author);
    if (outcome === "taken") expect(await creating).toEqual({ outcome });
    else expect((await apiErrorOf(creating)).code).toBe(outcome);
    expect(stub().requests).toHaveLength(count);
  },
);
