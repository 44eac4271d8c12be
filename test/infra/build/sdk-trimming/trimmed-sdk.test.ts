import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sdk from "@aws-sdk/client-dynamodb";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bundleEntry } from "../../../../infra/build/bundles/bundle-entry.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import type { KeyStore } from "../../../../lambdas/resources/keys/key-store.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import type { TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { newToken } from "../../../../tools/support/tokens.ts";
import { isSigned } from "../../../support/aws-signature.ts";
import { type StubAnswer, startDynamoDBStub, type WireRequest } from "../../../support/dynamodb-stub.ts";

interface Stores {
  keys: KeyStore;
  tokens: TokenStore;
}

const secretAccessKey = "secret";
const traceId = "Root=1-69203b52-3f6a1c2b4d5e6f7081920a3b;Parent=53995c3f42cd8ad8;Sampled=0";

let folder: string;
let trimmed: () => Stores;

/** The stores on the SDK as installed. Only the number of attempts is that of the service. */
const untrimmed = (): Stores => {
  const client = new DynamoDBClient({ maxAttempts: 3 });
  return {
    keys: openStore(declaredTables.keys, { client, tableName: "Keys" }),
    tokens: openStore(declaredTables.tokens, { client, tableName: "Tokens" }),
  };
};

beforeAll(async () => {
  // So that both write the same time.
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T10:15:30.123Z") });
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "ASIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  vi.stubEnv("AWS_SESSION_TOKEN", "session");
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "test");
  vi.stubEnv("_X_AMZN_TRACE_ID", traceId);
  vi.stubEnv("KEYS_TABLE", "Keys");
  vi.stubEnv("TOKENS_TABLE", "Tokens");

  // The stores as the functions open them.
  const entry = `
    import { createStores } from "./lambdas/functions/create-stores.ts";
    import * as tables from "./lambdas/resources/tables.ts";
    export const stores = () => createStores({ keys: [], tokens: [] }, tables);`;
  folder = await mkdtemp(join(tmpdir(), "integration-api-bundle-"));
  const file = join(folder, "stores.cjs");
  await writeFile(file, (await bundleEntry({ name: "stores", entry })).code);
  trimmed = createRequire(import.meta.url)(file).stores;
});
afterAll(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const { record } = newToken();
const key = { key_id: "a/b ü", v_code: 'v"\\\u2028\u{1F511}'.padEnd(64, "é"), created_at: "then", updated_at: "then" };
const item = Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { S: value }]));

const operations: Record<string, (stores: Stores) => Promise<unknown>> = {
  "keys.list": ({ keys }) => keys.list({ limit: 1, after: "before" }),
  "keys.create": ({ keys }) => keys.create(key),
  "keys.get": ({ keys }) => keys.get(key.key_id),
  "keys.replace": ({ keys }) => keys.replace(key),
  "keys.delete": ({ keys }) => keys.delete(key.key_id),
  "tokens.find": ({ tokens }) => tokens.find(record.token_id),
  "tokens.list": ({ tokens }) => tokens.list({ limit: 1 }),
  "tokens.insert": ({ tokens }) => tokens.insert({ ...record, expires_at: "2027-01-01T00:00:00.000Z" }),
  "tokens.revoke": ({ tokens }) => tokens.revoke(record.token_id, { revoked_at: "now", revoked_by: "test" }),
};

/** The outcome of an operation and the requests that it sends when DynamoDB gives these answers one after another. */
const outcomeOf = async (
  stores: () => Stores,
  operation: (stores: Stores) => Promise<unknown>,
  answers: (StubAnswer | null)[],
) => {
  const left = [...answers];
  const stub = await startDynamoDBStub(() => (left.length > 1 ? left.shift() : left[0]) ?? null);
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.endpoint);
  try {
    const [outcome] = await Promise.allSettled([operation(stores())]);
    const { requests } = stub;
    return { requests, outcome: outcome.status === "fulfilled" ? { value: outcome.value } : faultOf(outcome.reason) };
  } finally {
    await stub.close();
  }
};

/** The properties of an error that the service and the SDK act on. */
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

/**
 * A request without the parts that differ between calls, and without the user agent. The order of members in its JSON may
 * differ, and so may the checksum. The signature proves that the checksum is correct.
 */
const comparable = ({ method, path, headers, body }: WireRequest) => ({
  method,
  path,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !variableHeaders.has(name))),
  body: JSON.parse(body),
});

const exception = (name: string, status = 400): StubAnswer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "told by DynamoDB" },
});

const found: StubAnswer = { body: { Item: item, Items: [item, item], Attributes: item, Count: 2, ScannedCount: 2 } };

const answers: Record<string, (StubAnswer | null)[]> = {
  "with records": [found],
  "without records": [{ body: {} }],
  "that a condition does not hold": [exception("ConditionalCheckFailedException")],
};

const expectTheSame = async (operation: (stores: Stores) => Promise<unknown>, given: (StubAnswer | null)[]) => {
  const ours = await outcomeOf(trimmed, operation, given);
  const theirs = await outcomeOf(untrimmed, operation, given);
  expect(ours.outcome).toEqual(theirs.outcome);
  expect(ours.requests.map(comparable)).toEqual(theirs.requests.map(comparable));
  for (const request of [...ours.requests, ...theirs.requests]) expect(isSigned(request, secretAccessKey)).toBe(true);
  expect(ours.requests[0]?.headers).toMatchObject({ "x-amzn-trace-id": traceId });
};

describe.each(Object.entries(answers))(
  "if DynamoDB answers %s, a bundle behaves like the untrimmed SDK",
  (_, given) => {
    test.for(Object.entries(operations))("in %s", ([, operation]) => expectTheSame(operation, given));
  },
);

test.for<[string, (StubAnswer | null)[]]>([
  ["that a permission is missing", [exception("AccessDeniedException")]],
  ["that the request is wrong", [exception("ValidationException")]],
  ["with an error that the SDK does not know", [exception("BrandNewException")]],
  ["with a failure, then with records", [exception("InternalServerError", 500), found]],
  ["only with failures", [exception("InternalServerError", 500)]],
  ["that it is throttled", [exception("ProvisionedThroughputExceededException")]],
  ["with an error without a body", [{ status: 503, body: "" }]],
  ["by closing the connection, then with records", [null, found]],
])("if DynamoDB answers %s, a bundle retries and fails like the untrimmed SDK", async ([, given]) => {
  await expectTheSame(({ keys }) => keys.get(key.key_id), given);
});

// The SDK retries some errors by name, which takes a long time. One of them is tested above.
const retried = /Throttl|Throughput|LimitExceeded|InProgress/;
const otherErrors = Object.keys(sdk).filter((name) => /(Exception|Error)$/.test(name) && !retried.test(name));

test("if DynamoDB answers with any error that the SDK knows, a bundle fails like the untrimmed SDK", async () => {
  expect(otherErrors.length).toBeGreaterThan(20);
  for (const name of otherErrors) await expectTheSame(({ keys }) => keys.get(key.key_id), [exception(name)]);
});

test("an answer that is not JSON is retried, unlike in the untrimmed SDK, and then reported as unavailable", async () => {
  const { outcome, requests } = await outcomeOf(trimmed, ({ keys }) => keys.get(key.key_id), [{ body: "<html>" }]);
  expect(outcome).toMatchObject({ name: "unavailable", cause: { name: "InvalidResponse" } });
  expect(requests).toHaveLength(3);
});
