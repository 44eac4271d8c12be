import { beforeAll, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { workOf } from "../../../lambdas/endpoint/serve-endpoint.ts";
import { otherError, ValidationError } from "../../../lambdas/shared/errors/api-error.ts";
import { ArgumentRefused } from "../../../lambdas/shared/errors/argument-refused.ts";
import { RecordRefused } from "../../../lambdas/shared/errors/record-refused.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { moveToken } from "../../../lambdas/v1/move-token.ts";
import { redeemInvitation } from "../../../lambdas/v1/redeem-invitation.ts";
import { revokeToken } from "../../../lambdas/v1/revoke-token.ts";
import { dayMs, inMs, newInvitation, newToken } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { type EndpointCall, environmentOf } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";
import { useStores } from "../support/stores.ts";

const { store } = useStores("tokens", "keys", "limits");
const ip = "198.51.100.7";
const elsewhere = "203.0.113.9";
const token = newToken({ ip });
const expiring = newToken({ ip, client: "ACME", expires_at: inMs(12.5 * dayMs) });
const expired = newToken({ ip, expires_at: inMs(-dayMs) });
const invitation = newInvitation({ ip: "::" });

beforeAll(async () => {
  for (const { record } of [token, expiring, expired, invitation])
    await store("tokens").insert(record, noteOf("issued"));
});

const call = async (endpoint: Endpoint, sent: Partial<EndpointCall> = {}) => {
  const log = captureLog();
  return { ...(await environmentOf(endpoint)({ token: token.text, ...sent })), log };
};

const vCode = "v-code-secret".padEnd(64, "x");
const pair = (key_id: string, v_code = vCode) => ({ key_id, v_code });
const plain = { "content-type": "text/plain" };

const wrong = newToken().text;
test.for<[string, Partial<EndpointCall>, number]>([
  ["Accept before token", { headers: { accept: "*/*" }, token: "wrong", form: "%" }, 307],
  ["token before address", { token: wrong, sourceIp: elsewhere, headers: plain, form: "" }, 401],
  ["address before content type", { sourceIp: elsewhere, headers: plain, form: "%" }, 403],
  ["content type before size", { headers: plain, form: "x".repeat(20_000) }, 415],
  ["size before encoding", { form: "%".repeat(20_000) }, 413],
  ["encoding before validation", { form: "key_id=%&v_code=short" }, 400],
  ["validation before work", { form: pair("a/b ü", "short") }, 422],
  ["work", { form: pair("a/b ü") }, 201],
])("checks a request in the documented order: %s", async ([, request, status]) => {
  expect((await call(createKey, request)).status).toBe(status);
});

test("the location of a new key is its percent-encoded path", async () => {
  const { status, headers } = await call(createKey, { form: pair("a/b é") });
  expect([status, headers.Location]).toEqual([201, "/api/v1/key/a%2Fb%20%C3%A9"]);
});

const rejected = new RecordRefused({ key_id: ["No."], "v_code.0": ["No."] });
test.for([otherError("token_not_found"), new ValidationError(rejected.fields), new RecordRefused({ time: ["No."] })])(
  "responds with 500 to an undeclared error, and logs its cause: $name",
  async (error) => {
    const endpoint = { ...createKey, handler: () => Promise.reject(error) };
    const { status, body, log } = await call(endpoint, { form: pair("1") });
    expect({ status, body }).toMatchObject({ status: 500, body: { code: "internal_error" } });
    const [cause = ""] = String(error.stack).split("\n");
    expect(log.lines()).toEqual([expect.objectContaining({ status: 500, cause: expect.stringContaining(cause) })]);
  },
);

test("responds with 422 to a rejected record if the client sent all fields that it names", async () => {
  const endpoint = { ...createKey, handler: () => Promise.reject(rejected) };
  expect(await call(endpoint, { form: pair("1") })).toMatchObject({ status: 422, body: rejected.fields });
});

test("responds with 422 to a rejected argument under the path that the client sent, and otherwise with 500", async () => {
  const sent = { query: { after: "x" }, json: { page: { from: 1e200 } }, parameters: undefined, form: undefined };
  const refusalOf = (value: unknown) => {
    const handler = () => Promise.reject(new ArgumentRefused(value, "must be another."));
    return workOf({ ...createKey, handler }, {})({ ...sent, ifMatch: undefined }).catch((error: unknown) => error);
  };
  expect(await refusalOf("x")).toMatchObject({ status: 422, fields: { after: ["The after must be another."] } });
  expect(await refusalOf(1e200)).toMatchObject({ fields: { "page.from": ["The page.from must be another."] } });
  expect(await refusalOf("y")).toMatchObject({ status: 500 });
});

test("a 401 names the service, and other rejections do not", async () => {
  const challengeOf = async (sent: Partial<EndpointCall>) => (await call(getToken, sent)).headers["WWW-Authenticate"];
  expect(await challengeOf({ token: wrong })).toBe('X-Token realm="Test"');
  expect(await challengeOf({ sourceIp: elsewhere })).toBeUndefined();
});

const announcementIn = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("X-Token-")));

test.for<[number, Endpoint, Partial<EndpointCall>]>([
  [200, listKeys, {}],
  [304, listKeys, { headers: { "if-none-match": "*" } }],
  [404, getKey, { pathParameters: { key_id: "absent" } }],
  [422, createKey, { form: "key_id=1" }],
])("announces the end of a token that ends within 30 days: %i", async ([status, endpoint, request]) => {
  const response = await call(endpoint, { token: expiring.text, ...request });
  expect(response.status).toBe(status);
  const rotation = { "X-Token-Rotation": "POST /api/v1/token/rotation" };
  expect(announcementIn(response.headers)).toEqual({ "X-Token-Expires-At": expiring.record.expires_at, ...rotation });
});

test("GET /token says whose the token is, in how many days it ends, and how to rotate it", async () => {
  const { body } = await call(getToken, { token: expiring.text });
  const expected = { days: 12, rotation: "POST /api/v1/token/rotation" };
  expect(body).toMatchObject({ client: "ACME", expiring: expected });
  expect((await call(getToken)).body).toMatchObject({ client: null, expiring: null });
});

test.for<[string, Endpoint, Partial<EndpointCall>, number]>([
  ["an expired token", getToken, { token: expired.text }, 401],
  ["the wrong address", getToken, { token: expiring.text, sourceIp: elsewhere }, 403],
  ...operationsOf(api)
    .filter(({ endpoint }) => endpoint.credential === "secret" && endpoint.method !== "DELETE")
    .map(({ endpoint }): [string, Endpoint, Partial<EndpointCall>, number] => [
      `a call that changes the token itself: ${endpoint.path}`,
      endpoint,
      { token: expiring.text, form: { grace_seconds: "-1" } },
      endpoint.form ? 422 : 409,
    ]),
])("announces the end of a token to no one else: %s", async ([, endpoint, request, status]) => {
  const response = await call(endpoint, request);
  expect(response.status).toBe(status);
  expect(announcementIn(response.headers)).toEqual({});
});

/** Returns a response with its request's log line. */
const loggedCall = async (endpoint: Endpoint, request: EndpointCall) => {
  const { status, body, log } = await call(endpoint, request);
  return { status, body, line: Object(log.lines().find((line) => Object(line).message === "request")) };
};

test("logs a request for confirmation only if it is new", async () => {
  const redeem = () => loggedCall(redeemInvitation, { token: invitation.text, sourceIp: elsewhere });
  expect((await redeem()).line).toMatchObject({ level: "INFO", status: 202, confirmation: "requested" });
  const { line } = await redeem();
  expect(line.status).toBe(202);
  expect(line).not.toHaveProperty("confirmation");
});

test.for([
  ["any address, which is logged as a leak", elsewhere, { level: "WARN", leak_signal: expect.any(String) }],
  ["its own address", ip, { level: "INFO" }],
] as const)("a caller with its secret ends a token, and learns nothing, from %s", async ([, sourceIp, expected]) => {
  const { text, record } = newToken({ ip });
  await store("tokens").insert(record, noteOf("issued"));
  const { line, ...response } = await loggedCall(revokeToken, { token: text, sourceIp });
  expect(response).toEqual({ status: 204, body: {} });
  expect(line).toMatchObject(expected);
  expect("leak_signal" in line).toBe("leak_signal" in expected);
  const revoked_by = `token:${record.token_id}:${sourceIp}`;
  expect(await store("tokens").find(record.token_id)).toMatchObject({ revoked_at: expect.any(String), revoked_by });
});

test("records a call as a use if it requires a valid token and has one, even if its input is rejected", async () => {
  const { text, record } = newToken({ ip });
  await store("tokens").insert(record, noteOf("issued"));
  const usedAfter = async (endpoint: Endpoint, sent: Partial<EndpointCall> = {}) => {
    await call(endpoint, { token: text, ...sent });
    return (await store("tokens").find(record.token_id))?.last_used_at;
  };
  expect(await usedAfter(moveToken)).toBeUndefined();
  expect(await usedAfter(listKeys, { sourceIp: elsewhere })).toBeUndefined();
  expect(await usedAfter(listKeys, { queryStringParameters: { limit: "0" } })).toBeDefined();
});

test("a function without its table's name fails at startup, and names the variable", () => {
  vi.stubEnv("KEYS_TABLE", "");
  expect(() => environmentOf(createKey)).toThrow("KEYS_TABLE");
});
