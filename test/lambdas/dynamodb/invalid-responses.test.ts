import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { mapStores, tables } from "../../../lambdas/domain/built-in-stores.ts";
import { connect } from "../../../lambdas/domain/create-stores.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Item, toItem } from "../../../lambdas/dynamodb/records.ts";
import { keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import { updatedAttributes } from "../../../tools/support/updated-item.ts";
import { hourMs, inMs, newToken } from "../../kit/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { type AwsRequest, type DynamoDBStub, type StubAnswer, startDynamoDBStub } from "../../support/aws-stub.ts";
import { apiErrorOf } from "../support/outcomes.ts";

let stub: DynamoDBStub;
let respond: (request: AwsRequest) => StubAnswer;

beforeEach(async () => {
  stub = await startDynamoDBStub((request) => respond(request));
  for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stub.close();
});

const stores = (...options: Parameters<typeof connect>) => {
  const { client, keyNames } = connect(...options);
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
const share = { hour: "2026-11-21T10:00:00.000Z", statuses: {}, codes: {}, leak_signals: 0, leaks: [], refusals: [] };
const revocation = { revoked_at: inMs(0), revoked_by: "admin" };

const changes: Record<string, Call> = {
  "keys.create": ({ keys }) => keys.create(pair, author),
  "keys.replace": ({ keys }) => keys.replace(pair, author),
  "keys.delete": ({ keys }) => keys.delete("1", author),
  "tokens.insert": ({ tokens }) => tokens.insert(record, noteOf("issued")),
  "tokens.revoke": ({ tokens }) => tokens.revoke(token_id, revocation, author),
  "tokens.settle": ({ tokens }) => tokens.settle(token_id),
  "limits.take": ({ limits }) => limits.take(token_id, { minute: "2026-11-21T10:15Z", limit: 5 }),
};

/** A call for each DynamoDB operation, and for each kind of attributes that an update returns. */
const calls: Record<string, Call> = {
  GetItem: ({ keys }) => keys.get("1"),
  Scan: ({ keys }) => keys.list({ limit: 1 }),
  Query: ({ usage }) => usage.leaks(inMs(-hourMs)),
  "UpdateItem with all attributes": ({ keys }) => keys.create(pair, author),
  "UpdateItem with new attributes": ({ limits }) => limits.take(token_id, { minute: "2026-11-21T10:15Z", limit: 5 }),
  "UpdateItem without attributes": ({ tokens }) => tokens.recordUse(token_id, inMs(0)),
  "UpdateItem with the old item if refused": ({ usage }) => usage.add(token_id, share, "batch"),
};

const page = { Items: [], Count: 0, ScannedCount: 0 };
/** Responses from something other than DynamoDB. */
const strange: Record<string, StubAnswer> = {
  maintenance: { body: { message: "maintenance" } },
  "an error": { body: { error: "Bad Gateway" } },
  "a type": { body: { __type: "com.amazon.coral.service#InternalFailure" } },
  "no attributes": { body: { Attributes: null } },
  "no item": { body: { Item: null } },
  "a list as an item": { body: { Item: [], Attributes: [] } },
  "one name more": { body: { ...page, Item: {}, Attributes: {}, Hint: "" } },
  "the item of another key": { body: { Item: toItem({ key_id: "2", token_id: "2" }) } },
  "a key to continue from that is no key": { body: { ...page, LastEvaluatedKey: { other: { S: "1" } } } },
  "a key to continue from with one name more": {
    body: { ...page, LastEvaluatedKey: toItem({ key_id: "1", subject: "1", entry: "1", more: "1" }) },
  },
  "an empty key to continue from": { body: { ...page, LastEvaluatedKey: {} } },
  "a text to continue from": { body: { ...page, LastEvaluatedKey: "1" } },
  "no list of items": { body: { Count: 0, ScannedCount: 0 } },
  "a list of texts": { body: { Items: ["1"], Count: 1, ScannedCount: 1 } },
  "a wrong count": { body: { ...page, Count: 1, ScannedCount: 1 } },
  "a count of what was read that is a text": { body: { ...page, ScannedCount: "0" } },
  "a count of what was read that is too low": { body: { Items: [{}], Count: 1, ScannedCount: 0 } },
  "an item and an error": { body: { Item: toItem({ key_id: "1", token_id }), Message: "No." } },
  "a list": { body: [] },
  null: { body: "null" },
  "a text": { body: '"Item"' },
  nothing: { body: "" },
  "half an object": { body: '{"Item":' },
  "a page": { body: "<html></html>" },
  "a wrong checksum": { body: "{}", headers: { "x-amz-crc32": String(crc32("{}") + 1) } },
};
const refusals: StubAnswer[] = [
  ...["ExpiredTokenException", "RequestExpired", "InvalidSignatureException", "UnrecognizedClientException"].map(
    (name) => ({ status: 400, body: { __type: `com.amazon.coral.service#${name}`, message: "No." } }),
  ),
  ...[301, 307, 403, 404, 413, 500, 503].map((status) => ({ status, body: { message: "No." } })),
];

describe.for(Object.entries(calls))("%s", ([, call]) => {
  test.for(Object.entries(strange))("is retried and then unavailable if the response is %s", async ([, response]) => {
    respond = () => response;
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
    expect(stub.requests).toHaveLength(3);
  });

  test.for(refusals)("is unavailable if the response is $status $body", async (response) => {
    respond = () => response;
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
  });
});

describe.for(Object.entries(changes))("%s", ([, call]) => {
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
])("accepts a valid response and ignores additional fields in it, its items and attributes: %s", async ([, more]) => {
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

test.for<[string, StubAnswer]>([
  ["has the right checksum", { body: "{}", headers: { "x-amz-crc32": String(crc32("{}")) } }],
  ["has no checksum", { body: "{}" }],
  ["begins with whitespace", { body: "\r\n\t {}\n" }],
])("accepts a response that %s", async ([, response]) => {
  respond = () => response;
  expect(await stores().keys.get("1")).toBeUndefined();
  expect(stub.requests).toHaveLength(1);
});

test("accepts a page without counts", async () => {
  respond = () => ({ body: { Items: [toItem(key)] } });
  expect((await stores().keys.list({ limit: 1 })).keys).toEqual([key]);
  expect(stub.requests).toHaveLength(1);
});

describe("the item of a failed condition", () => {
  const refuseWith = (Item: Item) => {
    const __type = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
    respond = () => ({ status: 400, body: { __type, message: "No.", Item } });
  };

  test("is passed on if it is the requested item", async () => {
    refuseWith(toItem({ ...key, v_code: "w".repeat(64) }));
    expect(await stores().keys.create(pair, author)).toEqual({ outcome: "taken" });
    expect(stub.requests).toHaveLength(1);
  });

  test("is rejected if it is another item", async () => {
    refuseWith(toItem({ ...key, key_id: "2" }));
    expect((await apiErrorOf(stores().keys.create(pair, author))).code).toBe("unavailable");
    expect(stub.requests).toHaveLength(3);
  });
});
