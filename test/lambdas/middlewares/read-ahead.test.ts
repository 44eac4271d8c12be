import middy from "@middy/core";
import { beforeEach, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { rightsOf, storeNames } from "../../../lambdas/domain/built-in-stores.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { readAhead } from "../../../lambdas/middlewares/read-ahead.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import type { Verified } from "../../../lambdas/middlewares/verify-token.ts";
import { ApiError, ValidationError } from "../../../lambdas/shared/errors/api-error.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { deleteKey } from "../../../lambdas/v1/delete-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { replaceKey } from "../../../lambdas/v1/replace-key.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { updatedAttributes } from "../../../tools/support/updated-item.ts";
import { hourMs, inMs, newToken } from "../../kit/support/tokens.ts";
import type { AwsRequest, StubAnswer } from "../../support/aws-stub.ts";
import { useDynamoDBStub } from "../support/dynamodb-stub.ts";
import { type EndpointCall, environmentOf, eventOf } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";

/* Tests what the functions request from the database, and in how many round trips. */

const { text: tokenText, record } = newToken();
const vCode = "v-code-secret".padEnd(64, "x");
const key = toItem({ key_id: "1", v_code: vCode, created_at: inMs(-hourMs), updated_at: inMs(-hourMs) });
const page = (...Items: object[]) => ({ Items, Count: Items.length, ScannedCount: Items.length });

/** Responds to each operation like a table with one key. */
const keyFound = ({ operation, body }: AwsRequest): StubAnswer => {
  if (operation === "GetItem") return { body: { Item: key } };
  return { body: operation === "Scan" ? page(key) : { Attributes: updatedAttributes(body, key) } };
};

const failure = (type: string, message = "No."): StubAnswer => ({
  status: 400,
  body: { __type: `x#${type}`, message },
});
const usedUp = failure("ConditionalCheckFailedException");

let found: Partial<TokenRecord>;
let answerOfKeys: (request: AwsRequest) => StubAnswer;
/** `undefined` unless the limit is used up. */
let answerOfLimits: StubAnswer | undefined;

const asks = (table: string, { body }: AwsRequest): boolean => body.includes(`"${table}"`);

beforeEach(() => {
  // Recently used, so that no call also has to record a use.
  found = { ...record, last_used_at: inMs(0) };
  answerOfKeys = keyFound;
  answerOfLimits = undefined;
});
const stub = useDynamoDBStub((request) => {
  const { body } = request;
  if (asks("tokens", request)) return { body: body.includes(record.token_id) ? { Item: toItem({ ...found }) } : {} };
  if (!asks("limits", request)) return answerOfKeys(request);
  return answerOfLimits ?? { body: { Attributes: { ...updatedAttributes(body), taken: { N: "1" } } } };
});

/** A new environment of an endpoint's function. */
const serve = (endpoint: Endpoint) => {
  const send = environmentOf(endpoint);
  const form = endpoint.form && { key_id: "1", v_code: vCode };
  return async (sent: Partial<EndpointCall> = {}) => {
    const log = captureLog();
    const { requests: sentRequests, answersBefore } = stub();
    sentRequests.length = 0;
    answersBefore.length = 0;
    const response = await send({ token: tokenText, form, pathParameters: { key_id: "1" }, ...sent });
    const requests = [...sentRequests];
    return {
      ...response,
      log,
      operations: requests.map(({ operation }) => operation),
      ofKeys: requests.filter((request) => asks("keys", request)).length,
      // Requests sent after the same number of responses are concurrent.
      roundTrips: new Set(answersBefore).size,
    };
  };
};

/** Creates an environment that has admitted the caller before. */
const serveKnown = async (endpoint: Endpoint) => {
  const send = serve(endpoint);
  expect((await send()).status).toBeLessThan(300);
  return send;
};

const limit = (text: string) => ({ queryStringParameters: { limit: text } });
const elsewhere = { sourceIp: "203.0.113.9" };
const reads = [getKey, listKeys];
const writes = [createKey, replaceKey, deleteKey];

test.for<[string, Endpoint, number, requests: number]>([
  ["one to read a key", getKey, 1, 2],
  ["one to read a page", listKeys, 1, 2],
  ["one to read the token itself", getToken, 1, 1],
  ["two to create a key", createKey, 2, 2],
  ["two to replace a key", replaceKey, 2, 2],
  ["two to delete a key", deleteKey, 2, 2],
])(
  "takes %s for a known caller, and one more if there is a limit, in round trips",
  async ([, endpoint, trips, requests]) => {
    const send = await serveKnown(endpoint);
    expect(await send()).toMatchObject({ roundTrips: trips, operations: { length: requests } });
    found = { ...found, rate_limit: 2 };
    const limited = await send();
    expect(limited.status).toBeLessThan(300);
    expect(limited).toMatchObject({ roundTrips: trips + 1, operations: { length: requests + 1 } });
  },
);

test("redirects a client that does not accept JSON without a lookup", async () => {
  expect(await serve(getKey)({ headers: { accept: "text/html" } })).toMatchObject({ status: 302, operations: [] });
});

test.for(reads)("does not read ahead in an environment's first call: $path", async (endpoint) => {
  expect(await serve(endpoint)()).toMatchObject({ status: 200, roundTrips: 2 });
});

test.for<[string, Partial<EndpointCall>]>([
  ["a token that was never issued", { token: newToken().text }],
  ["a known token from another address", elsewhere],
])("does not read ahead for %s, so the call takes one lookup", async ([, options]) => {
  for (const endpoint of reads) {
    const { status, operations } = await (await serveKnown(endpoint))(options);
    expect(status).toBeGreaterThanOrEqual(401);
    expect(operations).toEqual(["GetItem"]);
  }
});

test("does not read ahead after a rejection until the caller is admitted again", async () => {
  const send = await serveKnown(getKey);
  const good = found;
  found = { ...found, revoked_at: inMs(-hourMs) };
  expect([(await send()).ofKeys, (await send()).ofKeys]).toEqual([1, 0]);
  found = good;
  expect([(await send()).roundTrips, (await send()).roundTrips]).toEqual([2, 1]);
});

test("does not read ahead for a token that has reached its limit", async () => {
  found = { ...found, rate_limit: 2 };
  const send = await serveKnown(getKey);
  answerOfLimits = usedUp;
  expect((await send()).status).toBe(429);
  expect((await send()).ofKeys).toBe(0);
});

test.for<[string, Endpoint, Partial<EndpointCall>, number]>([
  ["an invalid limit", listKeys, limit("0"), 422],
  ["an invalid key_id", getKey, { pathParameters: { key_id: "?" } }, 404],
])("does not read ahead for %s, which is only revealed to a valid token", async ([, endpoint, options, status]) => {
  const send = await serveKnown(endpoint);
  expect(await send(options)).toMatchObject({ status, operations: ["GetItem"] });
  expect(await send({ ...options, ...elsewhere })).toMatchObject({ status: 403, operations: ["GetItem"] });
  found = { ...found, rate_limit: 2 };
  answerOfLimits = usedUp;
  expect(await send(options)).toMatchObject({ status: 429 });
});

interface Refusal {
  why: string;
  fields: Partial<TokenRecord>;
  counter?: StubAnswer;
  status: number;
}
const limited = { rate_limit: 2 };
const refusals: Refusal[] = [
  { why: "a wrong secret", fields: { secret_hash: newToken().record.secret_hash }, status: 401 },
  { why: "an expired token", fields: { expires_at: inMs(-hourMs) }, status: 401 },
  { why: "a revoked token", fields: { revoked_at: inMs(-hourMs) }, status: 401 },
  { why: "a wrong address", fields: { ip: "203.0.113.9" }, status: 403 },
  { why: "a used-up limit", fields: limited, counter: usedUp, status: 429 },
  { why: "an uncounted limit", fields: limited, counter: failure("ThrottlingException"), status: 503 },
];
const outcomes: [string, typeof answerOfKeys][] = [
  ["a key", keyFound],
  ["nothing", ({ operation }) => ({ body: operation === "Scan" ? page() : {} })],
  ["a failure", () => failure("AccessDeniedException", "v-code-secret")],
];
const cases = refusals.flatMap((refusal) => outcomes.map(([what, answer]) => ({ ...refusal, what, answer })));

test.for(cases)(
  "does not reveal that $what was found to a caller with $why",
  async ({ fields, counter, status, answer }) => {
    const good = found;
    for (const endpoint of reads) {
      [found, answerOfKeys, answerOfLimits] = [good, keyFound, undefined];
      const send = await serveKnown(endpoint);
      [found, answerOfKeys, answerOfLimits] = [{ ...good, ...fields }, answer, counter];
      const response = await send();
      expect(response).toMatchObject({ status, ofKeys: 1 });
      expect(response.log.lines()).toEqual([expect.objectContaining({ status, code: response.body.code })]);
      for (const text of [response.text, response.log.text()]) expect(text).not.toMatch(/v-code-secret|AccessDenied/);
    }
  },
);

test.for(refusals)("writes nothing for a caller with $why", async ({ fields, counter, status }) => {
  [found, answerOfLimits] = [{ ...found, ...fields }, counter];
  for (const endpoint of writes) expect(await serve(endpoint)()).toMatchObject({ status, ofKeys: 0 });
});

test("only GET endpoints read ahead, and they write nothing", () => {
  for (const { endpoint } of operationsOf(api)) {
    if (!endpoint.readsAhead) continue;
    expect(endpoint.method).toBe("GET");
    for (const store of storeNames) {
      for (const right of rightsOf(store, endpoint.uses[store] ?? [])) {
        expect(["GetItem", "Scan", "Query"]).toContain(typeof right === "string" ? right : right.action);
      }
    }
  }
});

type Start = () => Promise<{ status: number }>;

const fail = (error: Error): never => {
  throw error;
};

/** Creates an environment with a token check that admits everybody unless there is a refusal. */
const serveAny = (start: Start = async () => ({ status: 200 })) => {
  const started = vi.fn(start);
  let refusal: ApiError | undefined;
  const { caller } = eventOf(newToken().record);
  const check: Middleware<Verified> = {
    before: ({ event }) => {
      if (refusal) throw refusal;
      event.caller = caller;
    },
  };
  const chain = middy<ApiEvent, ApiResponse, unknown>()
    .use(readAhead({ start: started }))
    .use(check)
    .handler<ApiEvent>(async (event) => ({ statusCode: (await event.work)?.status ?? 299 }));
  return {
    /** Returns whether the call's work was started early. */
    async isAhead(token: string, sourceIp = "198.51.100.7"): Promise<boolean> {
      started.mockClear();
      await chain(apiEvent({ headers: { "x-token": token }, sourceIp }), lambdaContext).catch(() => undefined);
      return started.mock.calls.length > 0;
    },
    refuse(error: ApiError | undefined) {
      refusal = error;
    },
  };
};

test("remembers only the most recent callers, and moves a caller to the front with each call", async () => {
  const { isAhead } = serveAny();
  const others = Array.from({ length: 998 }, (_, index) => String(index));
  for (const token of ["one", "two", ...others, "one", "last"]) await isAhead(token);
  expect([await isAhead("one"), await isAhead("two")]).toEqual([true, false]);
});

test.for<[string, Start]>([
  ["if the work fails", () => Promise.reject(new ApiError("key_not_found"))],
  ["if the input is not valid", () => fail(new ValidationError({}))],
])("a caller stays known %s", async ([, start]) => {
  const { isAhead } = serveAny(start);
  for (const isKnown of [false, true, true]) expect(await isAhead("one")).toBe(isKnown);
});

test("waits for work in progress to end before rejecting a caller", async () => {
  const order: string[] = [];
  const { isAhead, refuse } = serveAny(async () => {
    await new Promise(setImmediate);
    order.push("work ended");
    return { status: 200 };
  });
  await isAhead("one");
  refuse(new ApiError("token_revoked"));
  await isAhead("one");
  order.push("response");
  expect(order).toEqual(["work ended", "response"]);
});

test("does not cause an unhandled rejection if the work for a rejected caller fails", async () => {
  const unhandled = vi.fn();
  process.once("unhandledRejection", unhandled);
  const { isAhead, refuse } = serveAny(() => Promise.reject(new Error("no database")));
  await isAhead("one");
  refuse(new ApiError("token_revoked"));
  await isAhead("one");
  await new Promise(setImmediate);
  expect(unhandled).not.toHaveBeenCalled();
  process.off("unhandledRejection", unhandled);
});
