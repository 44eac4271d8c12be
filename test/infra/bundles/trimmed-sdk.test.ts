import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import * as sdk from "@aws-sdk/client-dynamodb";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { bundleEntry } from "../../../infra/bundles/bundle.ts";
import type { KeyStore } from "../../../lambdas/domain/keys/keys-table.ts";
import * as declaredTables from "../../../lambdas/domain/tables.ts";
import { rejectInvalidResponses } from "../../../lambdas/dynamodb/client/invalid-responses.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Item, toItem } from "../../../lambdas/dynamodb/records.ts";
import { updatedAttributes } from "../../../tools/support/updated-item.ts";
import { author } from "../../support/authors.ts";
import { type AwsRequest, isSigned, type StubAnswer, startAwsStub, startDynamoDBStub } from "../../support/aws-stub.ts";

const secretAccessKey = "secret";
const traceId = "Root=1-69203b52-3f6a1c2b4d5e6f7081920a3b;Parent=53995c3f42cd8ad8;Sampled=0";

let folder: string;
let trimmed: () => KeyStore;

type RequestHandler = DynamoDBClient["config"]["requestHandler"];

/** Makes the SDK's own handler return whole bodies. By default, it leaves reading them to its caller. */
const withWholeBodies = (handler: RequestHandler): RequestHandler =>
  Object.assign(Object.create(handler), {
    async handle(...call: Parameters<RequestHandler["handle"]>) {
      const { response } = await handler.handle(...call);
      return { response: Object.assign(response, { body: await buffer(response.body) }) };
    },
  });

/** Returns the store on the installed SDK, with the service's number of attempts and middleware. */
const untrimmed = (): KeyStore => {
  const client = new DynamoDBClient({ maxAttempts: 3 });
  client.config.requestHandler = withWholeBodies(client.config.requestHandler);
  rejectInvalidResponses(client, new Map([["Keys", ["key_id"]]]));
  return openStore(declaredTables.keys, { client, tableName: "Keys" });
};

beforeAll(async () => {
  // Fixed, so that both write the same time.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(now) });
  const variables = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: "session",
    AWS_LAMBDA_FUNCTION_NAME: "test",
    _X_AMZN_TRACE_ID: traceId,
    KEYS_TABLE: "Keys",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);

  folder = await mkdtemp(join(tmpdir(), "integration-api-bundle-"));
  const file = join(folder, "stores.cjs");
  await writeFile(file, (await bundleEntry({ name: "stores", entry: "test/infra/bundles/bundled-stores" })).code);
  trimmed = createRequire(import.meta.url)(file).openKeys;
});
afterAll(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const now = "2026-11-21T10:15:30.123Z";
const changedAt = "2026-11-21T10:15:29.000Z";
const key = {
  key_id: "a/b ü",
  v_code: 'v"\\\u2028\u{1F511}'.padEnd(65, "é"),
  created_at: changedAt,
  updated_at: changedAt,
};
const otherCode = "w".repeat(64);
type Operation = (keys: KeyStore) => Promise<unknown>;

/** Each DynamoDB action that a function's client may send, with and without what makes it succeed. */
const operations: Record<string, Operation> = {
  list: (keys) => keys.list({ limit: 1, after: "before" }),
  create: (keys) => keys.create(key, author),
  "create with another v_code": (keys) => keys.create({ ...key, v_code: otherCode }, author),
  get: (keys) => keys.get(key.key_id),
  replace: (keys) => keys.replace({ ...key, v_code: otherCode }, author),
  delete: (keys) => keys.delete(key.key_id, author),
};

/** DynamoDB's response to a certain request or to any. Null closes the connection. */
type Answer = StubAnswer | null | ((request: AwsRequest) => StubAnswer);

/** Returns an operation's outcome and requests when DynamoDB returns these responses in turn. */
const outcomeOf = async (store: () => KeyStore, operation: Operation, responses: Answer[]) => {
  const left = [...responses];
  const stub = await startDynamoDBStub((request) => {
    const answer = left.length > 1 ? left.shift() : left[0];
    return (typeof answer === "function" ? answer(request) : answer) ?? null;
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
  try {
    const [outcome] = await Promise.allSettled([operation(store())]);
    const { requests } = stub;
    return { requests, outcome: outcome.status === "fulfilled" ? { value: outcome.value } : faultOf(outcome.reason) };
  } finally {
    await stub.close();
  }
};

/** Returns the properties of an error that the service and the SDK use. */
const faultOf = (error: unknown): object => {
  if (!(error instanceof Error)) return { error };
  const { name, cause } = error;
  const { $fault, $metadata } = error as {
    $fault?: string;
    $metadata?: { attempts?: number; httpStatusCode?: number };
  };
  const metadata = $metadata && { attempts: $metadata.attempts, status: $metadata.httpStatusCode };
  return { name, $fault, ...metadata, ...(cause !== undefined && { cause: faultOf(cause) }) };
};

const variableHeaders = new Set([
  "user-agent",
  "x-amz-user-agent",
  "amz-sdk-invocation-id",
  "authorization",
  "x-amz-date",
  "x-amz-content-sha256",
  "host",
]);

const randomId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * A request without the parts that differ between calls, such as random ids, and without the user agent. The order of members in its JSON may
 * differ, and so may the checksum. The signature proves that the checksum is correct.
 */
const comparable = ({ method, path, headers, body }: AwsRequest) => ({
  method,
  path,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !variableHeaders.has(name))),
  body: JSON.parse(body.replaceAll(randomId, "a random id")),
});

const exception = (name: string, status = 400): StubAnswer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "told by DynamoDB" },
});

const page = (items: Item[]): StubAnswer => ({
  body: { Items: items, Count: items.length, ScannedCount: items.length },
});
const refused = (item?: Item): StubAnswer => ({
  status: 400,
  body: { ...Object(exception("ConditionalCheckFailedException").body), ...(item && { Item: item }) },
});

/** Returns whether a condition holds for an item changed a second ago, or for none. The first attempt requires more. */
const holds = (condition: string, item: Item | undefined): boolean =>
  item ? condition.includes("= :seen") : !/^\(?attribute_exists/.test(condition);

/** Responds like DynamoDB with a table that has this record twice, or no record. */
const database =
  (item?: Item) =>
  ({ body, operation }: AwsRequest): StubAnswer => {
    const { ConditionExpression = "" }: { ConditionExpression?: string } = JSON.parse(body);
    if (operation === "GetItem") return { body: item ? { Item: item } : {} };
    if (operation === "Scan") return page(item ? [item, item] : []);
    if (!holds(ConditionExpression, item)) return refused(item);
    const attributes = updatedAttributes(body, item);
    return { body: Object.keys(attributes).length > 0 ? { Attributes: attributes } : {} };
  };
const present = database(toItem(key));
const absent = database();

const expectTheSame = async (operation: Operation, given: Answer[]) => {
  const ours = await outcomeOf(trimmed, operation, given);
  const theirs = await outcomeOf(untrimmed, operation, given);
  expect(ours.outcome).toEqual(theirs.outcome);
  expect(ours.requests.map(comparable)).toEqual(theirs.requests.map(comparable));
  for (const request of [...ours.requests, ...theirs.requests]) expect(isSigned(request, secretAccessKey)).toBe(true);
  expect(ours.requests[0]?.headers).toMatchObject({ "x-amzn-trace-id": traceId });
  return ours;
};

test.for(Object.entries(operations))("%s behaves in a bundle as it does with the untrimmed SDK", async ([, run]) => {
  for (const records of [present, absent]) {
    expect((await expectTheSame(run, [records])).outcome).toHaveProperty("value");
  }
});

test.for<[string, Answer[], object]>([
  ["that a permission is missing", [exception("AccessDeniedException")], { name: "AccessDeniedException" }],
  ["that the request is wrong", [exception("ValidationException")], { name: "ValidationException" }],
  ["with an error that the SDK does not know", [exception("BrandNewException")], { name: "unavailable" }],
  ["with a failure, then with a record", [exception("InternalServerError", 500), present], { value: key }],
  ["only with failures", [exception("InternalServerError", 500)], { cause: { name: "InternalServerError" } }],
  [
    "that it is throttled",
    [exception("ProvisionedThroughputExceededException")],
    { cause: { name: "ProvisionedThroughputExceededException", attempts: 3 } },
  ],
  ["with an error without a body", [{ status: 503, body: "" }], { cause: { name: "InvalidResponse" } }],
  ["with text that is not JSON", [{ body: "<html>" }], { cause: { name: "InvalidResponse" } }],
  ["by closing the connection, then with a record", [null, present], { value: key }],
])("if DynamoDB responds %s, a bundle retries and fails like the untrimmed SDK", async ([, given, outcome]) => {
  expect((await expectTheSame((keys) => keys.get(key.key_id), given)).outcome).toMatchObject(outcome);
});

// The SDK retries some errors by name, which takes a long time. One of these errors is tested above.
const retried = /Throttl|Throughput|LimitExceeded|InProgress/;
const otherErrors = Object.keys(sdk).filter((name) => /(Exception|Error)$/.test(name) && !retried.test(name));

test("if DynamoDB returns any error that the SDK knows, a bundle fails like the untrimmed SDK", async () => {
  expect(otherErrors.length).toBeGreaterThan(20);
  for (const name of otherErrors) await expectTheSame((keys) => keys.get(key.key_id), [exception(name)]);
});

test("an application's module has the whole SDK in its bundle, whatever the store leaves out", async () => {
  const file = join(folder, "sender.cjs");
  await writeFile(file, (await bundleEntry({ name: "sender", entry: "test/infra/bundles/bundled-sender" })).code);
  const { openKeys, publish } = createRequire(import.meta.url)(file);
  const result = "<PublishResult><MessageId>one</MessageId></PublishResult>";
  const body = `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${result}</PublishResponse>`;
  const stub = await startAwsStub(() => ({ body }));
  onTestFinished(stub.close);

  expect(await publish(stub.url)).toBe("one");
  expect(stub.requests).toEqual([expect.objectContaining({ body: expect.stringContaining("Message=%C3%BC") })]);
  const one = await outcomeOf(openKeys, (keys) => keys.get(key.key_id), [{ body: {} }]);
  expect(one.outcome).toEqual({ value: undefined });
});
