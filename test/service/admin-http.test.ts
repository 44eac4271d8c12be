import { signIn, signInForTokens } from "cdk-local-runner/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizationOf, loginOf, type OwnService, startService } from "../support/service.ts";

/*
 * Tests the admin function behind the gateway, the login and IAM. test/lambdas/admin/ tests what each action does, and
 * rights.test.ts tests that each works with the function's permissions.
 */

const guest = { username: "guest@example.com", password: "correct horse", groups: [] };

let service: OwnService;
beforeAll(async () => {
  service = await startService({ additionalUsers: [guest] });
});
afterAll(() => service.close());

const send = async (method: string, path: string, headers: Record<string, string> = {}, json?: unknown) => {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
};

describe.each(["Admin", "Superuser"])("a user in the group %s", (group) => {
  let user: { authorization: string };
  beforeAll(async () => {
    user = await authorizationOf(service, group);
  });

  test("writes keys that the API can read, whatever their characters", async () => {
    const key = { key_id: `${group} / 50 ü&=+`, v_code: "v".repeat(64) };
    expect((await send("POST", "/admin/keys", user, key)).status).toBe(201);
    const id = encodeURIComponent(key.key_id);
    expect((await service.call("GET", `/api/v1/key/${id}`)).json()).toMatchObject(key);
    expect((await send("POST", `/admin/v_codes/${id}`, user, {})).body).toMatchObject(key);

    const changed = { v_code: "w".repeat(64) };
    expect((await send("PUT", `/admin/keys/${id}`, user, changed)).status).toBe(200);
    expect((await service.call("GET", `/api/v1/key/${id}`)).json()).toMatchObject(changed);
    expect(await send("DELETE", `/admin/keys/${id}`, user)).toMatchObject({ status: 204 });
    expect((await service.call("GET", `/api/v1/key/${id}`)).status).toBe(404);
  });

  test("sees its own address", async () => {
    expect((await send("GET", "/admin/address", user)).body).toEqual({ ip: null, seen_ip: "127.0.0.1" });
  });
});

describe("rejects the request", () => {
  const idToken = async () => (await signInForTokens(service, loginOf(service, "Superuser"))).idToken;
  const byAuthorizer = { message: "Unauthorized" };

  test.each<[string, () => Promise<string>, number, object]>([
    ["without a JWT", async () => "", 401, byAuthorizer],
    ["with an access token of the API", async () => service.issueToken(), 401, byAuthorizer],
    ["with an ID token, which the authorizer lets through", idToken, 401, { code: "sign_in_required" }],
    ["as a user in neither group", () => signIn(service, guest), 403, { code: "group_required" }],
  ])("%s", async (_, jwt, status, body) => {
    const refusal = await send("DELETE", "/admin/keys/1", { authorization: `Bearer ${await jwt()}` });
    expect(refusal).toMatchObject({ status, body });
    if (status === 401) expect(refusal.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });
});
