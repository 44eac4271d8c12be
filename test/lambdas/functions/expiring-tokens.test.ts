import { beforeAll, describe, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { absentId, dayMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const ip = "198.51.100.7";
const lasting = newToken({ ip, expires_at: inMs(31 * dayMs) });
const expiring = newToken({ ip, expires_at: inMs(12.5 * dayMs) });
const rotated = newToken({ ip, expires_at: inMs(0.5 * dayMs), rotated_at: inMs(0), successor_id: absentId() });
const limited = newToken({ ip, expires_at: inMs(dayMs), rate_limit: 1 });
const expired = newToken({ ip, expires_at: inMs(-dayMs) });

beforeAll(async () => {
  const tokens = await database.newTable("token_id");
  vi.stubEnv("TOKENS_TABLE", tokens.table);
  vi.stubEnv("KEYS_TABLE", (await database.newTable("key_id")).table);
  vi.stubEnv("LIMITS_TABLE", (await database.newTable("minute_id")).table);
  const store = openStore(declaredTables.tokens, { client: tokens.client, tableName: tokens.table });
  for (const { record } of [lasting, expiring, rotated, limited, expired]) await store.insert(record, noteOf("issued"));
});

type Token = ReturnType<typeof newToken>;

const form = { "content-type": "application/x-www-form-urlencoded" };

const call = async (
  endpoint: Endpoint,
  token: Token,
  { headers = {}, ...event }: NonNullable<Parameters<typeof apiEvent>[0]> = {},
): Promise<ApiResponse> => {
  captureLog();
  const sent: ApiEvent = apiEvent({
    method: endpoint.method,
    routeKey: `${endpoint.method} /api/v1${endpoint.path}`,
    ...event,
    headers: { accept: "application/json", "x-token": token.text, ...headers },
  });
  return serveEndpoint(endpoint, { version: "v1", tables })(sent, lambdaContext);
};

const announced = ({ record }: Token) => ({
  "X-Token-Expires-At": record.expires_at,
  "X-Token-Rotation": "POST /api/v1/token/rotation",
});

/** What a response says about the end of its token. */
const announcementIn = ({ headers = {} }: ApiResponse) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("X-Token-")));

describe("a response to a token that ends within 30 days says when, and how to rotate:", () => {
  test("success", async () => {
    expect(announcementIn(await call(getToken, expiring))).toEqual(announced(expiring));
  });

  test("nothing new", async () => {
    const page = await call(listKeys, expiring);
    const unchanged = await call(listKeys, expiring, { headers: { "if-none-match": String(page.headers?.ETag) } });
    expect(unchanged.statusCode).toBe(304);
    expect(announcementIn(unchanged)).toEqual(announced(expiring));
  });

  test.for([
    [404, getKey, { pathParameters: { key_id: "absent" } }],
    [400, getKey, { pathParameters: { key_id: "one" }, headers: { "x-sent-path": "/api/v1/key/other" } }],
    [415, createKey, { headers: { "content-type": "text/plain" } }],
    [400, createKey, { headers: form, body: "key_id=%" }],
    [422, createKey, { headers: form, body: "key_id=1" }],
  ] as const)("refusal with %i", async ([status, endpoint, request]) => {
    const response = await call(endpoint, expiring, request);
    expect(response.statusCode).toBe(status);
    expect(announcementIn(response)).toEqual(announced(expiring));
  });

  test("refusal for its rate limit, which is in the headers as well", async () => {
    const responses = [await call(getToken, limited), await call(getToken, limited)];
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 429]);
    for (const response of responses) {
      expect(announcementIn(response)).toEqual(announced(limited));
      expect(response.headers).toHaveProperty("RateLimit");
    }
  });
});

test("a token with a successor is told when it ends, but not to rotate", async () => {
  const response = await call(getToken, rotated);
  expect(announcementIn(response)).toEqual({ "X-Token-Expires-At": rotated.record.expires_at });
  expect(JSON.parse(String(response.body)).expiring).toEqual({ days: 0, rotation: null });
});

test("GET /token says how many days are left", async () => {
  const { body } = await call(getToken, expiring);
  expect(JSON.parse(String(body)).expiring).toEqual({ days: 12, rotation: "POST /api/v1/token/rotation" });
});

test("a token that lasts longer gets no announcement", async () => {
  const response = await call(getToken, lasting);
  expect(announcementIn(response)).toEqual({});
  expect(JSON.parse(String(response.body)).expiring).toBeNull();
});

test.for([
  ["an expired token", expired, ip, 401],
  ["the wrong address", expiring, "203.0.113.9", 403],
] as const)(
  "whoever is not verified learns nothing about the end of a token: %s",
  async ([, token, sourceIp, status]) => {
    const response = await call(getToken, token, { sourceIp });
    expect(response.statusCode).toBe(status);
    expect(announcementIn(response)).toEqual({});
  },
);

test.for(
  operationsOf(api)
    .map(({ endpoint }) => endpoint)
    .filter(({ credential }) => credential === "secret"),
)("a call that changes the token itself gets no announcement: $method $path", async (endpoint) => {
  const response = await call(endpoint, expiring, { headers: form, sourceIp: "203.0.113.9" });
  expect(announcementIn(response)).toEqual({});
});
