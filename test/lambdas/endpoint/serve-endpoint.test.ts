import { beforeAll, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { ApiError, ValidationError } from "../../../lambdas/shared/errors/api-error.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { dayMs, inMs, newToken } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { callEndpoint, type EndpointCall, environmentOf } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";
import { useStores } from "../support/stores.ts";

const { store, tableOf } = useStores("tokens", "keys", "limits");
const ip = "198.51.100.7";
const elsewhere = "203.0.113.9";
const token = newToken({ ip });
const expiring = newToken({ ip, expires_at: inMs(12.5 * dayMs) });
const expired = newToken({ ip, expires_at: inMs(-dayMs) });

beforeAll(async () => {
  for (const { record } of [token, expiring, expired]) {
    await store("tokens").insert(record, noteOf("issued"));
  }
});

const call = async (endpoint: Endpoint, sent: Partial<EndpointCall> = {}) => {
  const log = captureLog();
  return { ...(await callEndpoint(endpoint, { token: token.text, ...sent })), log };
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

const { example } = tables.keys;
const pathParameters = { key_id: example.key_id };

test("never sends a client what an endpoint does not declare: an attribute of the record", async () => {
  await tableOf("keys").put({ ...toItem({ ...example }), internal_note: { S: "not for clients" } });

  expect((await call(getKey, { pathParameters })).body).toEqual(example);
  expect((await call(listKeys)).text).not.toContain("not for clients");
});

test.for([new ApiError("token_not_found"), new ValidationError({ key_id: ["No."] })])(
  "never sends a client what an endpoint does not declare: an error, which becomes a 500 with its cause in the log: $name",
  async (error) => {
    const { status, body, log } = await call({ ...getKey, handler: () => Promise.reject(error) }, { pathParameters });
    expect({ status, body }).toMatchObject({ status: 500, body: { code: "internal_error" } });
    const [cause = ""] = String(error.stack).split("\n");
    expect(log.lines()).toEqual([expect.objectContaining({ status: 500, cause: expect.stringContaining(cause) })]);
  },
);

const announcementIn = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("X-Token-")));
const end = ({ record }: typeof expiring) => ({ "X-Token-Expires-At": record.expires_at });
const rotation = { "X-Token-Rotation": "POST /api/v1/token/rotation" };

test.for<[number, Endpoint, Partial<EndpointCall>]>([
  [200, listKeys, {}],
  [304, listKeys, { headers: { "if-none-match": "*" } }],
  [404, getKey, { pathParameters: { key_id: "absent" } }],
  [422, createKey, { form: "key_id=1" }],
])(
  "the end of a token that ends within 30 days is announced in a response with %i",
  async ([status, endpoint, request]) => {
    const response = await call(endpoint, { token: expiring.text, ...request });
    expect(response.status).toBe(status);
    expect(announcementIn(response.headers)).toEqual({ ...end(expiring), ...rotation });
  },
);

test("the end of a token that ends within 30 days is announced in days, together with how to rotate it, by GET /token", async () => {
  const { body } = await call(getToken, { token: expiring.text });
  expect(body.expiring).toEqual({ days: 12, rotation: "POST /api/v1/token/rotation" });
  expect((await call(getToken)).body.expiring).toBeNull();
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
])(
  "the end of a token that ends within 30 days is announced to nobody else: %s",
  async ([, endpoint, request, status]) => {
    const response = await call(endpoint, request);
    expect(response.status).toBe(status);
    expect(announcementIn(response.headers)).toEqual({});
  },
);

test("a function without its table's name fails at its start, with the name of the variable", () => {
  vi.stubEnv("KEYS_TABLE", "");
  expect(() => environmentOf(createKey)).toThrow("KEYS_TABLE");
});
