import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { operationsOf } from "../../../lambdas/declaration/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { storeRights } from "../../../lambdas/declaration/stores.ts";
import type { Right } from "../../../lambdas/dynamodb/rights.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { deleteKey } from "../../../lambdas/v1/delete-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { replaceKey } from "../../../lambdas/v1/replace-key.ts";
import {
  type DynamoDBStub,
  type StubAnswer,
  startDynamoDBStub,
  type WireRequest,
} from "../../support/dynamodb-stub.ts";
import { captureLog } from "../support/captured-log.ts";
import { apiEvent, lambdaContext } from "../support/events.ts";
import { hourMs, inMs, newToken } from "../support/tokens.ts";

// Recently used, so that no call has a use to record besides.
const lately = { last_used_at: inMs(0) };
const { text: tokenText, record } = newToken();

const attributes = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { [typeof value === "number" ? "N" : "S"]: String(value) }]),
  );
const vCode = "v-code-secret".padEnd(64, "x");
const key = attributes({ key_id: "1", v_code: vCode, created_at: "then", updated_at: "then" });

let stub: DynamoDBStub;
let found: Partial<TokenRecord>;
/** Attributes of the token's item as no store writes them. */
let misfits: object;
let keysAnswer: StubAnswer | null;
let limitsAnswer: StubAnswer;

beforeEach(async () => {
  found = { ...record, ...lately };
  misfits = {};
  keysAnswer = { body: { Item: key, Items: [key], Attributes: key } };
  limitsAnswer = taken(1);
  stub = await startDynamoDBStub(
    (request) => {
      if (asks("Tokens", request)) return { body: { Item: { ...attributes(found), ...misfits } } };
      return asks("Limits", request) ? limitsAnswer : keysAnswer;
    },
    { delayMilliseconds: 3 },
  );
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.endpoint);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  vi.stubEnv("TOKENS_TABLE", "Tokens");
  vi.stubEnv("KEYS_TABLE", "Keys");
  vi.stubEnv("LIMITS_TABLE", "Limits");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stub.close();
});

const asks = (table: string, { body }: WireRequest): boolean => body.includes(`"${table}"`);

const taken = (count: number): StubAnswer => ({ body: { Attributes: attributes({ taken: count }) } });
const usedUp: StubAnswer = { status: 400, body: { __type: "x#ConditionalCheckFailedException", message: "No." } };

const form = new URLSearchParams({ key_id: "1", v_code: vCode }).toString();

/** Calls an endpoint as a client would: what it answers, what it logs, and the requests to the database. */
const call = async (
  endpoint: Endpoint,
  { limit = "", keyId = "1", token = tokenText, accept = "application/json" } = {},
) => {
  const log = captureLog();
  const {
    statusCode,
    headers,
    body = "",
  } = await serveEndpoint(endpoint, { version: "v1" })(
    apiEvent({
      headers: { accept, "x-token": token, "content-type": "application/x-www-form-urlencoded" },
      ...(limit && { queryStringParameters: { limit } }),
      pathParameters: { key_id: keyId },
      ...(endpoint.form && { body: form }),
    }),
    lambdaContext,
  );
  const left = String(headers?.RateLimit).split(";t=")[0];
  return { statusCode, body, left, log, requests: stub.requests };
};

/** How many round trips were waited for, one after the other. */
const roundTrips = (requests: WireRequest[]): number =>
  new Set(requests.map(({ answersBefore }) => answersBefore)).size;

describe("an authenticated call costs in round trips to the database, one after the other", () => {
  test.for<[string, Endpoint, object, number]>([
    ["one for a key", getKey, {}, 1],
    ["one for a page of the usual size", listKeys, {}, 1],
    ["one for a page of 100", listKeys, { limit: "100" }, 1],
    ["two for a page of 101, which waits for the verdict", listKeys, { limit: "101" }, 2],
    ["one for the token itself", getToken, {}, 1],
    ["two to create", createKey, {}, 2],
    ["two to replace", replaceKey, {}, 2],
    ["two to delete", deleteKey, {}, 2],
  ])("%s, and another where the token has a limit", async ([, endpoint, options, expected]) => {
    const free = await call(endpoint, options);
    expect(free.statusCode).toBeLessThan(300);
    expect(roundTrips(free.requests)).toBe(expected);
    expect(free.requests.length).toBe(endpoint === getToken ? 1 : 2);

    stub.requests.length = 0;
    found = { ...found, rate_limit: 2 };
    const limited = await call(endpoint, options);
    expect(limited.statusCode).toBeLessThan(300);
    expect(roundTrips(limited.requests)).toBe(expected + 1);
    expect(limited.requests.filter((request) => asks("Limits", request))).toHaveLength(1);
  });
});

describe("a refusal that needs no database asks none", () => {
  test.for<[string, object, number]>([
    ["no JSON asked for", { accept: "text/html" }, 302],
    ["no token", { token: "" }, 401],
    ["a token of the wrong shape", { token: "itk_mistyped" }, 401],
    ["two tokens", { token: `${tokenText},${tokenText}` }, 401],
  ])("%s", async ([, options, status]) => {
    for (const { endpoint } of operationsOf(api)) {
      const { statusCode, requests } = await call(endpoint, options);
      expect(statusCode).toBe(status);
      expect(requests).toEqual([]);
    }
  });
});

describe("what was read ahead for a caller who is refused is seen by nobody:", () => {
  const refusals: [string, Partial<TokenRecord>, number][] = [
    ["wrong secret", { secret_hash: "other" }, 401],
    ["expired", { expires_at: inMs(-hourMs) }, 401],
    ["revoked", { revoked_at: inMs(-hourMs) }, 401],
    ["wrong address", { ip: "203.0.113.9" }, 403],
  ];
  const outcomes: [string, StubAnswer | null][] = [
    ["a key", { body: { Item: key, Items: [key] } }],
    ["nothing", { body: {} }],
    ["a failure", { status: 400, body: { __type: "x#AccessDeniedException", message: "v-code-secret" } }],
  ];
  const cases = refusals.flatMap(([why, fields, status]) =>
    outcomes.map(([what, answer]) => ({ why, fields, status, what, answer })),
  );

  test.for(cases)("$why, and $what was there", async ({ fields, status, answer }) => {
    found = { ...found, ...fields };
    keysAnswer = answer;
    for (const endpoint of [getKey, listKeys]) {
      const { statusCode, body, log } = await call(endpoint);
      expect(statusCode).toBe(status);
      expect(body).not.toContain("v-code-secret");
      expect(log.lines()).toEqual([expect.objectContaining({ status, code: JSON.parse(body).code })]);
      expect(log.text()).not.toContain("v-code-secret");
      expect(log.text()).not.toContain("AccessDenied");
    }
  });
});

describe("a limit is part of the verdict:", () => {
  const refusals: [string, StubAnswer, number][] = [
    ["it is used up", usedUp, 429],
    ["nobody can tell whether it is", { status: 400, body: { __type: "x#ThrottlingException", message: "No." } }, 503],
    ["the counter says nothing", { body: {} }, 503],
    ["the counter is no number", { body: { Attributes: { taken: { N: "one" } } } }, 503],
    ["the counter is beyond it", taken(3), 503],
    ["the counter is not counting", taken(0), 503],
  ];

  test.for(refusals)("if %s, what was read ahead is seen by nobody", async ([, answer, status]) => {
    found = { ...found, rate_limit: 2 };
    limitsAnswer = answer;
    for (const endpoint of [getKey, listKeys]) {
      const { statusCode, body, log } = await call(endpoint);
      expect(statusCode).toBe(status);
      expect(body).not.toContain("v-code-secret");
      expect(log.lines()).toEqual([expect.objectContaining({ status, token_id: record.token_id })]);
      expect(log.text()).not.toContain("v-code-secret");
    }
  });

  test.for(refusals)("if %s, nothing is written", async ([, answer, status]) => {
    found = { ...found, rate_limit: 2 };
    limitsAnswer = answer;
    for (const endpoint of [createKey, replaceKey, deleteKey]) {
      stub.requests.length = 0;
      const { statusCode, requests } = await call(endpoint);
      expect(statusCode).toBe(status);
      expect(requests.filter((request) => asks("Keys", request))).toEqual([]);
    }
  });

  test("a stored limit that is no number lets nobody in", async () => {
    misfits = { rate_limit: { S: "2" } };
    expect((await call(getToken)).statusCode).toBe(503);
  });

  test("a token that is used up is told so before an invalid query, and with what is left", async () => {
    found = { ...found, rate_limit: 2 };
    expect(await call(listKeys, { limit: "0" })).toMatchObject({ statusCode: 422, left: '"token";r=1' });
    limitsAnswer = usedUp;
    expect(await call(listKeys, { limit: "0" })).toMatchObject({ statusCode: 429, left: '"token";r=0' });
  });
});

describe("the order of refusals holds:", () => {
  test.for<[string, Endpoint, object]>([
    ["limit", listKeys, { limit: "0" }],
    ["key_id", getKey, { keyId: "?" }],
  ])("a token that is refused is told before an invalid %s, which reads nothing", async ([, endpoint, options]) => {
    found = { ...found, ip: "203.0.113.9" };
    const { statusCode, requests } = await call(endpoint, options);
    expect(statusCode).toBe(403);
    expect(requests.map(({ operation }) => operation)).toEqual(["GetItem"]);
  });

  test("a good token is told of an invalid limit", async () => {
    const { statusCode, requests } = await call(listKeys, { limit: "0" });
    expect(statusCode).toBe(422);
    expect(requests).toHaveLength(1);
  });

  test("a good token is told that there is no such key, with its id in the log", async () => {
    keysAnswer = { body: {} };
    const { statusCode, log } = await call(getKey);
    expect(statusCode).toBe(404);
    expect(log.lines()).toEqual([expect.objectContaining({ token_id: record.token_id, code: "key_not_found" })]);
  });
});

test("a read ahead is a GET, and performs nothing but reads", () => {
  const reads = new Set(["GetItem", "Scan"]);
  for (const { endpoint } of operationsOf(api)) {
    if (!endpoint.readsAhead) continue;
    expect(endpoint.method).toBe("GET");
    for (const [store, used] of Object.entries(endpoint.uses)) {
      const rights: Readonly<Record<string, readonly Right[]>> = storeRights[store as keyof typeof storeRights];
      for (const operation of used) for (const action of rights[operation] ?? []) expect(reads).toContain(action);
    }
  }
});
