import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { adminHttp } from "../../../lambdas/admin/serve-admin-http.ts";
import { api } from "../../../lambdas/api.ts";
import { adminRoute } from "../../../lambdas/declaration/action.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { actionExamples } from "../../kit/support/examples.ts";
import { absentId } from "../../kit/support/tokens.ts";
import { startTestUserPool } from "../../kit/support/user-pool.ts";
import { captureLog } from "../support/outcomes.ts";

const claims = { token_use: "access", client_id: "web", username: "alice@example.com", "cognito:groups": ["Admin"] };

let pool: Awaited<ReturnType<typeof startTestUserPool>>;
beforeAll(async () => {
  pool = await startTestUserPool();
});
afterAll(() => pool.close());
const userPool = () => ({ issuer: pool.issuer, clientId: "web" });

interface Sent {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  /** JSON, or its source text. */
  body?: unknown;
  headers?: Record<string, string>;
  claims?: object | undefined;
}

/** Sends a request to a route, as API Gateway forwards it, and returns the response and the actions to perform. */
const send = async (route: string, { parameters, query, body, headers, ...sent }: Sent = {}, result?: unknown) => {
  captureLog();
  const [method = "", path = ""] = route.split(" ");
  const perform = vi.fn(async () => result);
  const signed = "claims" in sent ? sent.claims : claims;
  const response = await adminHttp(actions, { userPool: userPool(), perform })(
    apiEvent({
      method,
      routeKey: `${method} ${path.replace(/}$/, "+}")}`,
      rawPath: path,
      headers: {
        "content-type": "application/json",
        ...(signed && { authorization: `Bearer ${await pool.sign(signed)}` }),
        ...headers,
      },
      ...(parameters && { pathParameters: parameters }),
      ...(query && { queryStringParameters: query }),
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
    lambdaContext,
  );
  expect(response.headers).toMatchObject({ "Cache-Control": "no-store" });
  const text = response.body ?? "";
  const parsed = text === "" ? undefined : JSON.parse(text);
  return { status: response.statusCode, headers: response.headers, body: parsed, performed: perform.mock.calls };
};

const routeOf = (name: string) => {
  const { contract } = Object.entries(actions).find(([action]) => action === name)?.[1] ?? actions.get;
  const { method, path } = adminRoute(contract);
  return { route: `${method} ${path}`, method, path, status: "status" in contract ? contract.status : 200 };
};

test.for(actionExamples(api))("only a signed-in admin can perform $name", async ({ name, fields, request }) => {
  const { route, path, status } = routeOf(name);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = ""]) => [field, String(fields[field])]);
  const query = Object.fromEntries(new URLSearchParams(request.query));
  const sent = { parameters: Object.fromEntries(inPath), query, body: request.json };
  const response = await send(route, sent, { done: true });

  const from = { sourceIp: "198.51.100.7", requestId: "request-1" };
  const input = { ...sent.parameters, ...query, ...request.json };
  expect(response.performed).toEqual([[{ name, fields: input, actor: "alice@example.com", ...from }]]);
  expect(response).toMatchObject({ status, body: { done: true }, headers: { "Content-Type": "application/json" } });
  const refused = { status: 401, body: { code: "sign_in_required" }, headers: { "WWW-Authenticate": "Bearer" } };
  expect(await send(route, { ...sent, claims: undefined })).toMatchObject({ ...refused, performed: [] });
});

test("the response has no body if the action returns nothing", async () => {
  const parameters = { key_id: "1" };
  const { status, body, headers } = await send("DELETE /admin/keys/{key_id}", { parameters });
  expect({ status, body }).toEqual({ status: 204, body: undefined });
  expect(headers).not.toHaveProperty("Content-Type");
});

test("rejects a field from two sources, and ignores fields of a prototype", async () => {
  const token_id = absentId();
  const sent = { parameters: { token_id }, body: { token_id, grace_seconds: 0 } };
  const body = { token_id: ["The token_id must be sent once."] };
  const response = await send("POST /admin/tokens/{token_id}/rotate", sent);
  expect(response).toMatchObject({ status: 422, body, performed: [] });
  const { performed } = await send("POST /admin/tokens", { body: '{"__proto__":{"ip":"203.0.113.1"}}' });
  expect(performed).toMatchObject([[{ fields: expect.not.objectContaining({ ip: "203.0.113.1" }) }]]);
  expect(JSON.stringify(performed)).toContain("__proto__");
});

test("rejects a body that repeats a field at any depth, and names the field", async () => {
  const body = '{"ip":"192.0.2.1","ip":"192.0.2.2","more":[{"a":1,"a":1}]}';
  expect(await send("POST /admin/tokens", { body })).toMatchObject({
    status: 422,
    body: { ip: ["The ip must be sent once."], "more.0.a": ["The more.0.a must be sent once."] },
    performed: [],
  });
});

test("rejects a request on a route without an action, and a request whose path has changed", async () => {
  const missing = { status: 404, body: { code: "endpoint_not_found" }, performed: [] };
  expect(await send("GET /admin/nowhere")).toMatchObject(missing);
  const changed = { parameters: { key_id: "a" }, headers: { "x-sent-path": "/admin/keys/a%3Fb" } };
  const refused = { status: 400, body: { code: "path_changed" }, performed: [] };
  expect(await send("DELETE /admin/keys/{key_id}", changed)).toMatchObject(refused);
});

test("rejects an event that is not from API Gateway", async () => {
  const perform = vi.fn();
  const serve = adminHttp(actions, { userPool: userPool(), perform });
  const event = apiEvent({ headers: { authorization: `Bearer ${await pool.sign(claims)}` } });
  const { sourceIp: _, ...withoutAddress } = event.requestContext.http;
  const others = [
    { action: "list" },
    { ...event, requestContext: undefined, action: "list" },
    { ...event, requestContext: { ...event.requestContext, http: withoutAddress } },
    ...[null, "", []],
  ];
  for (const payload of others)
    await expect(serve(payload, lambdaContext)).rejects.toMatchObject({ name: "sign_in_required" });
  captureLog();
  expect(await serve(event, lambdaContext)).toMatchObject({ statusCode: 404 });
  expect(perform).not.toHaveBeenCalled();
});

test("responses contain a v_code only if an admin requests it", () => {
  const found = Object.entries(actions).flatMap(([name, { contract }]) => {
    const schema = "response" in contract ? z.toJSONSchema(contract.response) : {};
    return JSON.stringify(schema).includes("v_code") ? [name] : [];
  });
  expect(found).toEqual(["reveal_key"]);
});
