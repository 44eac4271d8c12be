import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { connect } from "../../../lambdas/functions/create-stores.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { hourMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { updatedAttributes } from "../../../tools/support/updated-item.ts";
import { author, noteOf } from "../../support/authors.ts";
import { type AwsRequest, type DynamoDBStub, type StubAnswer, startDynamoDBStub } from "../../support/aws-stub.ts";
import { apiErrorOf } from "../support/rejection.ts";

let stub: DynamoDBStub;
let answer: (request: AwsRequest) => StubAnswer;

beforeEach(async () => {
  stub = await startDynamoDBStub((request) => answer(request));
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stub.close();
});

const stores = () => {
  const { client, keyNames } = connect();
  keyNames.set("Keys", ["key_id"]).set("Tokens", ["token_id"]).set("Limits", ["minute_id"]);
  keyNames.set("Usage", ["subject", "entry"]);
  const open = { client };
  return {
    keys: openStore(tables.keys, { ...open, tableName: "Keys" }),
    tokens: openStore(tables.tokens, { ...open, tableName: "Tokens" }),
    limits: openStore(tables.limits, { ...open, tableName: "Limits" }),
    usage: openStore(tables.usage, { ...open, tableName: "Usage" }),
  };
};
type AllStores = ReturnType<typeof stores>;

const { record } = newToken();
const pair = { key_id: "1", v_code: "v".repeat(64) };
const by = { revoked_at: inMs(0), revoked_by: "admin" };
const hour = {
  hour: "2026-11-21T10:00:00.000Z",
  statuses: { "2xx": 1 },
  codes: {},
  leak_signals: 0,
  leaks: [],
  refusals: [],
};

const reads: Record<string, (all: AllStores) => Promise<unknown>> = {
  "keys.get": ({ keys }) => keys.get("1"),
  "tokens.find": ({ tokens }) => tokens.find(record.token_id),
};
const pages: Record<string, (all: AllStores) => Promise<unknown>> = {
  "keys.list": ({ keys }) => keys.list({ limit: 1 }),
  "tokens.list": ({ tokens }) => tokens.list({ limit: 1 }),
  "usage.leaks": ({ usage }) => usage.leaks(inMs(-hourMs)),
};
const changes: Record<string, (all: AllStores) => Promise<unknown>> = {
  "keys.create": ({ keys }) => keys.create(pair, author),
  "keys.replace": ({ keys }) => keys.replace(pair, author),
  "keys.delete": ({ keys }) => keys.delete("1", author),
  "tokens.insert": ({ tokens }) => tokens.insert(record, noteOf("issued")),
  "tokens.revoke": ({ tokens }) => tokens.revoke(record.token_id, by, author),
  "tokens.settle": ({ tokens }) => tokens.settle(record.token_id),
  "limits.take": ({ limits }) => limits.take(record.token_id, { minute: "2026-11-21T10:15Z", limit: 5 }),
};
const others: typeof changes = {
  "tokens.recordUse": ({ tokens }) => tokens.recordUse(record.token_id, inMs(0)),
  "usage.add": ({ usage }) => usage.add(record.token_id, hour, "batch"),
};

/** Responses that something else might send in DynamoDB's place. */
const strange: Record<string, object | string> = {
  maintenance: { message: "maintenance" },
  "an error": { error: "Bad Gateway" },
  "a type": { __type: "com.amazon.coral.service#InternalFailure" },
  "no attributes": { Attributes: null },
  "no item": { Item: null },
  "a list as an item": { Item: [], Attributes: [] },
  "one name more": { Item: {}, Attributes: {}, Items: [], Count: 0, ScannedCount: 0, Hint: "" },
  "the item of another key": { Item: { key_id: { S: "2" }, token_id: { S: "2" } } },
  "a key to continue from that is no key": {
    Items: [],
    Count: 0,
    ScannedCount: 0,
    LastEvaluatedKey: { other: { S: "1" } },
  },
  "an empty key to continue from": { Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey: {} },
  "a text to continue from": { Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey: "1" },
  "a wrong count": { Items: [], Count: 1, ScannedCount: 1 },
  "no count of what was read": { Items: [], Count: 0 },
  "a count of what was read that is a text": { Items: [], Count: 0, ScannedCount: "0" },
  "a count of what was read that is too low": { Items: [{}], Count: 1, ScannedCount: 0 },
  "an item and an error": { Item: { key_id: { S: "1" }, token_id: { S: record.token_id } }, Message: "No." },
  "a list": [],
  null: "null",
  nothing: "",
  "a page": "<html></html>",
};

describe.for(Object.entries({ ...reads, ...pages, ...changes, ...others }))("%s", ([, call]) => {
  test.for(Object.entries(strange))("is repeated and then unavailable if it is answered with %s", async ([, body]) => {
    answer = () => ({ body });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
    expect(stub.requests).toHaveLength(3);
  });

  test("is repeated if the checksum is wrong", async () => {
    answer = () => ({ body: "{}", headers: { "x-amz-crc32": String(crc32("{}") + 1) } });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
    expect(stub.requests).toHaveLength(3);
  });

  test.for(["ExpiredTokenException", "RequestExpired", "InvalidSignatureException", "UnrecognizedClientException"])(
    "is unavailable if DynamoDB refuses the signature: %s",
    async (name) => {
      answer = () => ({ status: 400, body: { __type: `com.amazon.coral.service#${name}`, message: "No." } });
      expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
    },
  );

  test.for([301, 307, 403, 404, 413, 500, 503])("is unavailable if the status is %i", async (status) => {
    answer = () => ({ status, body: { message: "No." } });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
  });
});

describe.for(Object.entries(changes))("%s", ([, call]) => {
  test.for<[string, (request: AwsRequest) => object]>([
    ["nothing", () => ({})],
    ["an empty item", () => ({ Attributes: {} })],
    ["what the item was before", () => ({ Attributes: { key_id: { S: "1" }, token_id: { S: record.token_id } } })],
  ])("does not report success if it is answered with %s", async ([, body]) => {
    answer = (request) => ({ body: body(request) });
    expect((await apiErrorOf(call(stores()))).code).toBe("unavailable");
  });
});

test("a change is reported if the answer proves it", async () => {
  answer = ({ body }) => ({ body: { Attributes: updatedAttributes(body) } });
  expect(await stores().keys.create(pair, author)).toMatchObject({ outcome: "created", key: pair });
});

test.for<[string, unknown]>([
  ["that AWS adds", { Added: { S: "x" } }],
  ["that nobody asked for", { ConsumedCapacity: { TableName: "Keys", CapacityUnits: 1 } }],
])("fields %s are ignored in every response, item and attribute", async ([, fields]) => {
  const item = (item: object) => ({ ...item, added: { M: {}, ...Object(fields) } });
  const key = {
    key_id: { S: "1" },
    v_code: { S: pair.v_code, ...Object(fields) },
    created_at: { S: inMs(0) },
    updated_at: { S: inMs(0) },
  };
  answer = ({ operation, body }) => {
    if (operation === "GetItem") return { body: { Item: item(key), ...Object(fields) } };
    if (operation === "UpdateItem") return { body: { Attributes: item(updatedAttributes(body)), ...Object(fields) } };
    return { body: { Items: [item(key)], Count: 1, ScannedCount: 1, ...Object(fields) } };
  };
  const { keys } = stores();
  expect(await keys.get("1")).toMatchObject(pair);
  expect(await keys.create(pair, author)).toMatchObject({ outcome: "created" });
  expect((await keys.list({ limit: 1 })).keys).toMatchObject([pair]);
});

test.for([
  ["dynamodb.us-east-1.amazonaws.com", "unavailable"],
  ["123456789012.ddb.cn-north-1.amazonaws.com.cn", "unavailable"],
  ["127.0.0.1", undefined],
  ["amazonaws.com.example", undefined],
])("a response without a checksum from %s is %s", async ([hostname, code]) => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `https://${hostname}`);
  const response = { statusCode: 200, headers: {}, body: Buffer.from("{}") };
  const { client } = connect({ requestHandler: { handle: async () => ({ response }), destroy: () => {} } as never });
  const call = openStore(tables.keys, { client, tableName: "Keys" }).get("1");
  if (code === undefined) expect(await call).toBeUndefined();
  else expect((await apiErrorOf(call)).code).toBe(code);
});

test("a right checksum is accepted", async () => {
  answer = () => ({ body: "{}", headers: { "x-amz-crc32": String(crc32("{}")) } });
  expect(await stores().keys.get("1")).toBeUndefined();
  expect(stub.requests).toHaveLength(1);
});

test("the item of a failed condition must be the one that the call is about", async () => {
  const other = {
    key_id: { S: "2" },
    v_code: { S: pair.v_code },
    created_at: { S: inMs(0) },
    updated_at: { S: inMs(0) },
  };
  answer = () => ({
    status: 400,
    body: { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", message: "No.", Item: other },
  });
  expect((await apiErrorOf(stores().keys.create(pair, author))).code).toBe("unavailable");
  expect(stub.requests).toHaveLength(3);
});
