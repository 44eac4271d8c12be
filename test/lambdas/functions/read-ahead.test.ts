import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import { rightsOf, storeNames, tables } from "../../../lambdas/resources/stores.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { tableVariable } from "../../../lambdas/resources/uses.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { deleteKey } from "../../../lambdas/v1/delete-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { replaceKey } from "../../../lambdas/v1/replace-key.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { hourMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { updatedAttributes } from "../../../tools/support/updated-item.ts";
import {
  type DynamoDBStub,
  type StubAnswer,
  startDynamoDBStub,
  type WireRequest,
} from "../../support/dynamodb-stub.ts";
import { captureLog } from "../support/captured-log.ts";

// Recently used, so that no call also has to record a use.
const lately = { last_used_at: inMs(0) };
const { text: tokenText, record } = newToken();

const attributes = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { [typeof value === "number" ? "N" : "S"]: String(value) }]),
  );
const vCode = "v-code-secret".padEnd(64, "x");
const key = attributes({ key_id: "1", v_code: vCode, created_at: inMs(-hourMs), updated_at: inMs(-hourMs) });

/** The answer of a table with one key, to each operation. */
const keyFound = ({ operation, body }: WireRequest): StubAnswer => {
  switch (operation) {
    case "GetItem":
      return { body: { Item: key } };
    case "Scan":
      return { body: { Items: [key], Count: 1, ScannedCount: 1 } };
    case "UpdateItem":
      return { body: { Attributes: updatedAttributes(body, key) } };
    default:
      return { body: { Attributes: key } };
  }
};

type KeysAnswer = (request: WireRequest) => StubAnswer | null;

let stub: DynamoDBStub;
let found: Partial<TokenRecord>;
/** Attributes of the token's item, including ones that no store would write. */
let misfits: object;
let keysAnswer: KeysAnswer;
let limitsAnswer: StubAnswer;

beforeEach(async () => {
  found = { ...record, ...lately };
  misfits = {};
  keysAnswer = keyFound;
  limitsAnswer = taken(1);
  stub = await startDynamoDBStub((request) => {
    if (asks("tokens", request)) {
      return { body: request.body.includes(record.token_id) ? { Item: { ...attributes(found), ...misfits } } : {} };
    }
    return asks("limits", request) ? counted(request) : keysAnswer(request);
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.endpoint);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  for (const store of storeNames) vi.stubEnv(tableVariable(store), store);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stub.close();
});

const asks = (table: string, { body }: WireRequest): boolean => body.includes(`"${table}"`);

/** The counter's answer, with the number of the request that was counted. */
const counted = ({ body }: WireRequest): StubAnswer => {
  const { Attributes } = limitsAnswer.body as { Attributes?: object };
  return Attributes ? { body: { Attributes: { ...updatedAttributes(body), ...Attributes } } } : limitsAnswer;
};

const taken = (count: number): StubAnswer => ({ body: { Attributes: attributes({ taken: count }) } });
const usedUp: StubAnswer = { status: 400, body: { __type: "x#ConditionalCheckFailedException", message: "No." } };

const form = new URLSearchParams({ key_id: "1", v_code: vCode }).toString();

interface CallOptions {
  limit?: string;
  keyId?: string;
  token?: string;
  accept?: string;
  sourceIp?: string;
}

/** One environment of an endpoint's function, called as a client would call it. */
const serve = (endpoint: Endpoint) => {
  const handler = serveEndpoint(endpoint, { version: "v1", tables });
  return async ({
    limit = "",
    keyId = "1",
    token = tokenText,
    accept = "application/json",
    sourceIp,
  }: CallOptions = {}) => {
    const log = captureLog();
    stub.requests.length = 0;
    stub.answersBefore.length = 0;
    const {
      statusCode,
      headers,
      body = "",
    } = await handler(
      apiEvent({
        headers: { accept, "x-token": token, "content-type": "application/x-www-form-urlencoded" },
        ...(limit && { queryStringParameters: { limit } }),
        pathParameters: { key_id: keyId },
        ...(endpoint.form && { body: form }),
        ...(sourceIp && { sourceIp }),
      }),
      lambdaContext,
    );
    const left = String(headers?.RateLimit).split(";t=")[0];
    // Requests that are sent after the same number of answers are sent concurrently.
    const roundTrips = new Set(stub.answersBefore).size;
    return { statusCode, body, left, log, requests: [...stub.requests], roundTrips };
  };
};

/** The first call of a new environment. */
const call = (endpoint: Endpoint, options: CallOptions = {}) => serve(endpoint)(options);

/** An environment that has admitted the caller before. */
const serveKnown = async (endpoint: Endpoint) => {
  const send = serve(endpoint);
  expect((await send()).statusCode).toBeLessThan(300);
  return send;
};

const asksForKeys = (requests: WireRequest[]) => requests.filter((request) => asks("keys", request));

describe("a call by a caller whom the environment has admitted before takes, in sequential round trips,", () => {
  test.for<[string, Endpoint, CallOptions, number]>([
    ["one for a key", getKey, {}, 1],
    ["one for a page of the usual size", listKeys, {}, 1],
    ["one for a page of 1000", listKeys, { limit: "1000" }, 1],
    ["one for the token itself", getToken, {}, 1],
    ["two to create", createKey, {}, 2],
    ["two to replace", replaceKey, {}, 2],
    ["two to delete", deleteKey, {}, 2],
  ])("%s, and one more if the token has a limit", async ([, endpoint, options, expected]) => {
    const send = await serveKnown(endpoint);
    const free = await send(options);
    expect(free.statusCode).toBeLessThan(300);
    expect(free.roundTrips).toBe(expected);
    expect(free.requests.length).toBe(endpoint === getToken ? 1 : 2);

    found = { ...found, rate_limit: 2 };
    const limited = await send(options);
    expect(limited.statusCode).toBeLessThan(300);
    expect(limited.roundTrips).toBe(expected + 1);
    expect(limited.requests.filter((request) => asks("limits", request))).toHaveLength(1);
  });
});

describe("nothing is read ahead", () => {
  test.for([getKey, listKeys])("in the first call of an environment: %#", async (endpoint) => {
    const { statusCode, roundTrips } = await call(endpoint);
    expect(statusCode).toBe(200);
    expect(roundTrips).toBe(2);
  });

  test.for<[string, CallOptions]>([
    ["a token that was never issued", { token: newToken().text }],
    ["a known token from another address", { sourceIp: "203.0.113.9" }],
  ])("for %s: the call takes one look-up", async ([, options]) => {
    for (const endpoint of [getKey, listKeys]) {
      const send = await serveKnown(endpoint);
      const { statusCode, requests } = await send(options);
      expect(statusCode).toBeGreaterThanOrEqual(401);
      expect(requests.map(({ operation }) => operation)).toEqual(["GetItem"]);
    }
  });

  test("after a refusal, until the caller is admitted again", async () => {
    const send = await serveKnown(getKey);
    const good = found;
    found = { ...found, revoked_at: inMs(-hourMs) };
    expect(asksForKeys((await send()).requests)).toHaveLength(1);
    expect(asksForKeys((await send()).requests)).toHaveLength(0);
    found = good;
    expect((await send()).roundTrips).toBe(2);
    expect((await send()).roundTrips).toBe(1);
  });

  test("for a token that has used up its limit", async () => {
    found = { ...found, rate_limit: 2 };
    const send = await serveKnown(getKey);
    limitsAnswer = usedUp;
    expect((await send()).statusCode).toBe(429);
    expect(asksForKeys((await send()).requests)).toHaveLength(0);
  });
});

describe("a refusal that does not need the database does not call it", () => {
  test.for<[string, object, number]>([
    ["JSON not accepted", { accept: "text/html" }, 302],
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

describe("what was read ahead for a refused caller is not revealed:", () => {
  const refusals: [string, Partial<TokenRecord>, number][] = [
    ["wrong secret", { secret_hash: newToken().record.secret_hash }, 401],
    ["expired", { expires_at: inMs(-hourMs) }, 401],
    ["revoked", { revoked_at: inMs(-hourMs) }, 401],
    ["wrong address", { ip: "203.0.113.9" }, 403],
  ];
  const outcomes: [string, KeysAnswer][] = [
    ["a key", keyFound],
    ["nothing", ({ operation }) => ({ body: operation === "Scan" ? { Items: [], Count: 0, ScannedCount: 0 } : {} })],
    ["a failure", () => ({ status: 400, body: { __type: "x#AccessDeniedException", message: "v-code-secret" } })],
  ];
  const cases = refusals.flatMap(([why, fields, status]) =>
    outcomes.map(([what, answer]) => ({ why, fields, status, what, answer })),
  );

  test.for(cases)("$why, and $what was found", async ({ fields, status, answer }) => {
    const good = found;
    for (const endpoint of [getKey, listKeys]) {
      const send = await serveKnown(endpoint);
      found = { ...found, ...fields };
      keysAnswer = answer;
      const { statusCode, body, log, requests } = await send();
      expect(asksForKeys(requests)).toHaveLength(1);
      expect(statusCode).toBe(status);
      expect(body).not.toContain("v-code-secret");
      expect(log.lines()).toEqual([expect.objectContaining({ status, code: JSON.parse(body).code })]);
      expect(log.text()).not.toContain("v-code-secret");
      expect(log.text()).not.toContain("AccessDenied");
      found = good;
      keysAnswer = keyFound;
    }
  });
});

describe("the limit is part of the decision:", () => {
  const refusals: [string, StubAnswer, number][] = [
    ["it is used up", usedUp, 429],
    ["it cannot be counted", { status: 400, body: { __type: "x#ThrottlingException", message: "No." } }, 503],
    ["the counter's answer is empty", { body: {} }, 503],
    ["the counter is not a number", { body: { Attributes: { taken: { N: "one" } } } }, 503],
    ["the counter exceeds every limit", taken(100_001), 503],
    ["the counter was not increased", taken(0), 503],
  ];

  test.for(refusals)("if %s, what was read ahead is not revealed", async ([, answer, status]) => {
    found = { ...found, rate_limit: 2 };
    for (const endpoint of [getKey, listKeys]) {
      limitsAnswer = taken(1);
      const send = await serveKnown(endpoint);
      limitsAnswer = answer;
      const { statusCode, body, log } = await send();
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
      const { statusCode, requests } = await call(endpoint);
      expect(statusCode).toBe(status);
      expect(asksForKeys(requests)).toEqual([]);
    }
  });

  test("a stored limit that is not a number admits nobody", async () => {
    misfits = { rate_limit: { S: "2" } };
    expect((await call(getToken)).statusCode).toBe(503);
  });

  test("a used-up limit is reported before an invalid query, with the remaining requests", async () => {
    found = { ...found, rate_limit: 2 };
    expect(await call(listKeys, { limit: "0" })).toMatchObject({ statusCode: 422, left: '"token";r=1' });
    limitsAnswer = usedUp;
    expect(await call(listKeys, { limit: "0" })).toMatchObject({ statusCode: 429, left: '"token";r=0' });
  });
});

describe("refusals are in order:", () => {
  test.for<[string, Endpoint, object]>([
    ["limit", listKeys, { limit: "0" }],
    ["key_id", getKey, { keyId: "?" }],
  ])("a refused token is reported before an invalid %s, and nothing is read", async ([, endpoint, options]) => {
    found = { ...found, ip: "203.0.113.9" };
    const { statusCode, requests } = await call(endpoint, options);
    expect(statusCode).toBe(403);
    expect(requests.map(({ operation }) => operation)).toEqual(["GetItem"]);
  });

  test("with a valid token, an invalid limit is reported", async () => {
    const { statusCode, requests } = await call(listKeys, { limit: "0" });
    expect(statusCode).toBe(422);
    expect(requests).toHaveLength(1);
  });

  test("with a valid token, a missing key is reported, and the token's id is in the log", async () => {
    keysAnswer = () => ({ body: {} });
    const { statusCode, log } = await call(getKey);
    expect(statusCode).toBe(404);
    expect(log.lines()).toEqual([expect.objectContaining({ token_id: record.token_id, code: "key_not_found" })]);
  });
});

test("only GET endpoints read ahead, and they only read", () => {
  const reads = new Set(["GetItem", "Scan"]);
  for (const { endpoint } of operationsOf(api)) {
    if (!endpoint.readsAhead) continue;
    expect(endpoint.method).toBe("GET");
    for (const store of storeNames) {
      for (const action of rightsOf(store, endpoint.uses[store] ?? [])) expect(reads).toContain(action);
    }
  }
});
