import { signIn, signInForTokens } from "cdk-local-runner/parts";
import { calculateJwkThumbprint, decodeProtectedHeader, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loginOf, type OwnService, startService } from "../support/service.ts";

const guest = { username: "guest@example.com", password: "correct horse", groups: [] };

let service: OwnService;
beforeAll(async () => {
  service = await startService({ additionalUsers: [guest] });
});
afterAll(() => service.close());

interface Sent {
  authorization?: string | undefined;
  json?: unknown;
}

const send = async (method: string, path: string, { authorization, json }: Sent = {}) => {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(json !== undefined && { "content-type": "application/json" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
};

describe.each(["Admin", "Superuser"])("a user in the group %s", (group) => {
  let authorization: string;
  beforeAll(async () => {
    authorization = `Bearer ${await signIn(service, loginOf(service, group))}`;
  });

  test("issues a token that works, limits it, rotates it, and revokes it for the very next request", async () => {
    const issued = await send("POST", "/admin/tokens", { authorization, json: { ip: "127.0.0.1" } });
    expect(issued).toMatchObject({ status: 201, body: { issued_by: loginOf(service, group).username } });
    const { token, token_id } = issued.body;
    expect((await service.call("GET", "/api/v1/token", { token })).status).toBe(200);

    const path = `/admin/tokens/${token_id}`;
    const limited = await send("PUT", path, { authorization, json: { rate_limit: 1_000 } });
    expect(limited).toMatchObject({
      status: 200,
      body: { rate_limit: 1_000, updated_by: loginOf(service, group).username },
    });

    const rotated = await send("POST", `${path}/rotate`, { authorization, json: { grace_seconds: 3_600 } });
    expect(rotated.status).toBe(201);
    for (const text of [token, rotated.body.token]) {
      expect((await service.call("GET", "/api/v1/token", { token: text })).status).toBe(200);
    }

    expect(await send("DELETE", path, { authorization })).toMatchObject({ status: 200, body: { state: "revoked" } });
    expect((await service.call("GET", "/api/v1/token", { token })).json()).toMatchObject({ code: "token_revoked" });
    expect((await send("GET", path, { authorization })).body.last_used_at).not.toBeNull();
  });

  test("writes keys that the API can read, whatever their characters", async () => {
    const key = { key_id: `${group} / 50 ü&=+`, v_code: "v".repeat(64) };
    expect((await send("POST", "/admin/keys", { authorization, json: key })).status).toBe(201);

    const id = encodeURIComponent(key.key_id);
    expect((await service.call("GET", `/api/v1/key/${id}`)).json()).toMatchObject(key);
    const { body } = await send("GET", `/admin/keys/${id}`, { authorization });
    expect(body).toMatchObject({ key_id: key.key_id });
    expect(body).not.toHaveProperty("v_code");
    expect((await send("POST", `/admin/v_codes/${id}`, { authorization, json: {} })).body).toMatchObject(key);

    const json = { v_code: "w".repeat(64) };
    expect((await send("PUT", `/admin/keys/${id}`, { authorization, json })).status).toBe(200);
    expect((await service.call("GET", `/api/v1/key/${id}`)).json()).toMatchObject(json);

    expect(await send("DELETE", `/admin/keys/${id}`, { authorization })).toMatchObject({ status: 204 });
    expect((await service.call("GET", `/api/v1/key/${id}`)).status).toBe(404);
  });

  test("gets a message at each invalid field, and an error for a body that is not JSON", async () => {
    expect(await send("POST", "/admin/tokens", { authorization, json: { ip: "10.0.0.0/8" } })).toMatchObject({
      status: 422,
      body: { ip: ["The ip must be one address, not a CIDR range."] },
    });
    expect(await send("POST", "/admin/tokens", { authorization })).toMatchObject({
      status: 415,
      body: { code: "json_required" },
    });
  });

  test("can ask for its own address", async () => {
    expect((await send("GET", "/admin/address", { authorization })).body).toEqual({ ip: null, seen_ip: "127.0.0.1" });
  });
});

describe("nobody is admitted", () => {
  const unauthorized = { status: 401, body: { message: "Unauthorized" } };

  test("without a JWT", async () => {
    const answer = await send("GET", "/admin/tokens");
    expect(answer).toMatchObject(unauthorized);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  test("with an access token of the API", async () => {
    expect(await send("GET", "/admin/tokens", { authorization: await service.issueToken() })).toMatchObject(
      unauthorized,
    );
  });

  const claimsNow = () => ({
    token_use: "access",
    username: "superuser@example.com",
    "cognito:groups": ["Superuser"],
    client_id: service.loginClientIds[0],
  });

  test("with a JWT signed with another key, even if it names the issuer's key", async () => {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    const [header = ""] = (await signIn(service, guest)).split(".");
    const { kid: ownKid } = decodeProtectedHeader(`${header}..`);
    for (const kid of [String(ownKid), await calculateJwkThumbprint(publicKey)]) {
      const forged = await new SignJWT(claimsNow())
        .setProtectedHeader({ alg: "RS256", kid })
        .setIssuer(String(service.loginUrl))
        .setAudience(String(service.loginClientIds[0]))
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey);
      expect(await send("GET", "/admin/tokens", { authorization: `Bearer ${forged}` })).toMatchObject(unauthorized);
    }
  });

  test("with an unsigned JWT", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const payload = { ...claimsNow(), iss: service.loginUrl, exp: Math.floor(Date.now() / 1000) + 3_600 };
    const authorization = `Bearer ${part({ alg: "none" })}.${part(payload)}.`;
    expect(await send("GET", "/admin/tokens", { authorization })).toMatchObject(unauthorized);
  });

  test("with a modified JWT", async () => {
    const [header, payload = "", signature] = (await signIn(service, guest)).split(".");
    const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), "cognito:groups": ["Superuser"] };
    const changed = [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
    expect(await send("GET", "/admin/tokens", { authorization: `Bearer ${changed}` })).toMatchObject(unauthorized);
  });

  test("with the ID token of a session, which the authorizer lets through", async () => {
    const { idToken } = await signInForTokens(service, loginOf(service, "Superuser"));
    expect(await send("GET", "/admin/tokens", { authorization: `Bearer ${idToken}` })).toMatchObject({
      status: 401,
      body: { code: "sign_in_required" },
    });
  });

  test("as a user in neither group, whatever the request", async () => {
    const authorization = `Bearer ${await signIn(service, guest)}`;
    for (const [method, path] of [
      ["GET", "/admin/tokens"],
      ["GET", "/admin/keys"],
      ["DELETE", "/admin/keys/1"],
      ["GET", "/admin/address"],
    ] as const) {
      expect(await send(method, path, { authorization })).toMatchObject({
        status: 403,
        body: { code: "group_required" },
      });
    }
  });
});

describe("under /admin", () => {
  test("a wrong method is a 405, and an unknown path is a 404", async () => {
    const answer = await send("PATCH", "/admin/tokens");
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe("GET, POST");
    expect(await send("GET", "/admin/users")).toMatchObject({ status: 404, body: { code: "endpoint_not_found" } });
  });

  test("the log contains who did what, but no secret", async () => {
    const authorization = `Bearer ${await signIn(service, loginOf(service, "Admin"))}`;
    const secret = "s3cret".padEnd(64, "x");
    const { body } = await send("POST", "/admin/tokens", { authorization, json: { ip: "127.0.0.1", comment: secret } });
    await send("POST", "/admin/keys", { authorization, json: { key_id: "logged", v_code: secret } });

    const log = service.logged();
    for (const text of [secret, body.token, authorization.slice("Bearer ".length)]) expect(log).not.toContain(text);
    expect(log).toContain(`"actor":"${loginOf(service, "Admin").username}"`);
    expect(log).toContain(`"token_id":"${body.token_id}"`);
    expect(log).toContain('"key_id":"logged"');
  });
});
