import { createSecretKey } from "node:crypto";
import {
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importPKCS8,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { authorizeByJwt, flattenClaims } from "../../src/gateway/jwt-authorizer.ts";
import { signInForTokens, type Tokens } from "../../src/login/sign-in.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { sharedService } from "../support/services.ts";

const authorizer = { issuer: "http://127.0.0.1:3003", audience: ["web", "cli"] };
const now = Math.floor(Date.now() / 1000);
/** Claims, some of which may be missing. */
type Claims = { [Name in keyof JWTPayload]: JWTPayload[Name] | undefined };

const valid: Claims = { iss: authorizer.issuer, client_id: "web", iat: now, exp: now + 60 };

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let otherKeys: Awaited<ReturnType<typeof generateKeyPair>>;
let keySet: ReturnType<typeof createLocalJWKSet>;
let publicText: string;
beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true });
  otherKeys = await generateKeyPair("RS256");
  keySet = createLocalJWKSet({
    keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256", use: "sig" }],
  });
  publicText = await exportSPKI(keys.publicKey);
});

const payloadOf = (claims: Claims): JWTPayload => JSON.parse(JSON.stringify(claims));

const sign = (claims: Claims, header: Partial<JWTHeaderParameters> = {}, key = keys.privateKey) =>
  new SignJWT(payloadOf(claims)).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(key);

const authorize = (authorization: string | undefined, scopes: string[] = []) =>
  authorizeByJwt(authorization, { authorizer, scopes }, keySet);

describe("a token is accepted", () => {
  test.each([
    ["after Bearer", "Bearer "],
    ["alone", ""],
  ])("%s", async (_, prefix) => {
    expect(await authorize(prefix + (await sign(valid)))).toEqual({
      jwt: {
        claims: { iss: authorizer.issuer, client_id: "web", iat: String(now), exp: String(now + 60) },
        scopes: null,
      },
    });
  });

  test.each([
    ["made for one of the audience, by client_id", { client_id: "cli" }],
    ["made for one of the audience, by aud", { client_id: "other", aud: "web" }],
    ["made for the audience and others", { aud: ["other", "web"] }],
    // An ID token has its client as `aud`. API Gateway does not distinguish it from an access token; the function must.
    ["that is an ID token", { client_id: undefined, aud: "web", token_use: "id" }],
    ["valid since a moment ago", { nbf: now }],
  ])("%s", async (_, claims) => {
    expect(await authorize(`Bearer ${await sign({ ...valid, ...claims })}`)).toHaveProperty("jwt");
  });
});

describe("a token is refused with 401 and the reason", () => {
  const refused = (description: string) => ({
    statusCode: 401,
    message: "Unauthorized",
    challenge: `Bearer scope="" error="invalid_token" error_description="${description}"`,
  });

  test.each([
    ["that has expired", { exp: now - 1 }, "the token has expired"],
    ["without an expiry", { exp: undefined }, "the claim exp of the token is not valid"],
    ["that does not say when it was issued", { iat: undefined }, "the claim iat of the token is not valid"],
    ["issued in the future", { iat: now + 60 }, "the token is used before it was issued"],
    ["not valid yet", { nbf: now + 60 }, "the claim nbf of the token is not valid"],
    ["of another issuer", { iss: "https://evil.example" }, "the claim iss of the token is not valid"],
    ["of no issuer", { iss: undefined }, "the claim iss of the token is not valid"],
    ["for another client", { client_id: "other" }, "the token does not have a valid audience"],
    [
      "for another audience, although the client is right",
      { aud: "other" },
      "the token does not have a valid audience",
    ],
    ["for an empty audience, although the client is right", { aud: [] }, "the token does not have a valid audience"],
    ["for nobody", { client_id: undefined }, "the token does not have a valid audience"],
  ])("%s", async (_, claims, description) => {
    expect(await authorize(`Bearer ${await sign({ ...valid, ...claims })}`)).toEqual(refused(description));
  });

  test("signed with another key of the same name", async () => {
    const token = await sign(valid, {}, otherKeys.privateKey);
    expect(await authorize(token)).toEqual(refused("the signature of the token is not valid"));
  });

  test("signed with a key that the issuer does not have, or does not name", async () => {
    expect(await authorize(await sign(valid, { kid: "two" }))).toEqual(
      refused("the token is signed with an unknown key"),
    );
    const nameless = await new SignJWT(payloadOf(valid)).setProtectedHeader({ alg: "RS256" }).sign(keys.privateKey);
    expect(await authorize(nameless)).toEqual(refused("the token does not name its key"));
  });

  test("not signed at all", async () => {
    expect(await authorize(new UnsecuredJWT(payloadOf(valid)).encode())).toHaveProperty("statusCode", 401);
    const [, payload] = (await sign(valid)).split(".");
    const header = Buffer.from(JSON.stringify({ alg: "none", kid: "one" })).toString("base64url");
    expect(await authorize(`${header}.${payload}.`)).toEqual(refused("the token is not signed with RS256"));
  });

  test("signed with the public key as a secret", async () => {
    const secret = createSecretKey(Buffer.from(publicText));
    const token = await new SignJWT(payloadOf(valid)).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret);
    expect(await authorize(token)).toEqual(refused("the token is not signed with RS256"));
  });

  test("signed with another algorithm and the same key", async () => {
    const key = await importPKCS8(await exportPKCS8(keys.privateKey), "RS512");
    const token = await new SignJWT(payloadOf(valid)).setProtectedHeader({ alg: "RS512", kid: "one" }).sign(key);
    expect(await authorize(token)).toEqual(refused("the token is not signed with RS256"));
  });

  test("changed after it was signed", async () => {
    const [header, , signature] = (await sign(valid)).split(".");
    const payload = Buffer.from(JSON.stringify({ ...valid, "cognito:groups": ["Superuser"] })).toString("base64url");
    expect(await authorize(`${header}.${payload}.${signature}`)).toEqual(
      refused("the signature of the token is not valid"),
    );
  });

  test.each(["nonsense", "a.b.c", "Basic YTpi", "bearer x", "Bearer a,Bearer b"])("%s", async (authorization) => {
    expect(await authorize(authorization)).toEqual(refused("the token is malformed"));
  });

  test("valid, but with no key to verify it", async () => {
    const result = await authorizeByJwt(await sign(valid), { authorizer, scopes: [] }, undefined);
    expect(result).toEqual(refused("there is no key to verify the token with"));
  });
});

test.each([undefined, "", "Bearer "])("no token (%j) is answered with a bare challenge", async (authorization) => {
  expect(await authorize(authorization)).toEqual({ statusCode: 401, message: "Unauthorized", challenge: "Bearer" });
});

describe("a route that asks for scopes", () => {
  test.each([
    ["scope", { scope: "openid write" }],
    ["scp, as a string", { scp: "openid write" }],
    ["scp, as a list", { scp: ["openid", "write"] }],
  ])("takes a token that has one of them in %s", async (_, claims) => {
    const result = await authorize(await sign({ ...valid, ...claims }), ["read", "write"]);
    expect(result).toMatchObject({ jwt: { scopes: ["openid", "write"] } });
  });

  test.each([
    ["other scopes", { scope: "openid reader" }],
    ["none", {}],
  ])("refuses a token with %s with 403", async (_, claims) => {
    expect(await authorize(await sign({ ...valid, ...claims }), ["read", "write"])).toEqual({
      statusCode: 403,
      message: "Forbidden",
      challenge:
        'Bearer scope="read write" error="insufficient_scope" error_description="the token does not have a required scope"',
    });
  });

  test("refuses an invalid token with 401 all the same", async () => {
    const result = await authorize(await sign({ ...valid, scope: "read", exp: now - 1 }), ["read"]);
    expect(result).toHaveProperty("statusCode", 401);
  });
});

test("claims reach the function as strings, lists in brackets", () => {
  expect(
    flattenClaims({
      sub: "a",
      exp: 5,
      email_verified: true,
      "cognito:groups": ["Admin", "Superuser"],
      x: { b: 1, a: 2 },
    }),
  ).toEqual({ sub: "a", exp: "5", email_verified: "true", "cognito:groups": "[Admin Superuser]", x: "map[a:2 b:1]" });
});

const user = { username: "user@example.com", password: "let me in", groups: ["Admin", "Superuser"] };

const service = sharedService(async (directory) => ({
  assembly: await writeLoginAssembly(directory),
  additionalUsers: [user],
}));

let tokens: Tokens;
beforeAll(async () => {
  tokens = await signInForTokens(service(), user);
});

const get = (path: string, authorization?: string) =>
  fetch(`${service().baseUrl}${path}`, { headers: authorization === undefined ? {} : { authorization } });

test("a function behind an authorizer gets the claims of the token as strings", async () => {
  const response = await get("/guarded", `Bearer ${tokens.accessToken}`);
  const { iat, exp, sub } = decodeJwt(tokens.accessToken);

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    jwt: {
      claims: expect.objectContaining({
        sub,
        iat: String(iat),
        exp: String(exp),
        iss: service().loginUrl,
        username: user.username,
        "cognito:groups": "[Admin Superuser]",
        token_use: "access",
        client_id: service().loginClientIds[0],
      }),
      scopes: null,
    },
  });
});

test("an ID token passes too, as in AWS, and token_use distinguishes it", async () => {
  const response = await get("/guarded", tokens.idToken);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ jwt: { claims: { token_use: "id" } } });
});

test("a route without an authorizer takes any request and passes no claims to its function", async () => {
  const response = await get("/open", `Bearer ${tokens.accessToken}`);

  expect(response.status).toBe(200);
  expect(await response.json()).toBeNull();
});

test("a route with scopes takes a token that has one of them, and passes its scopes to the function", async () => {
  const response = await get("/scoped", `Bearer ${tokens.accessToken}`);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ jwt: { scopes: ["openid", "email"] } });
});

test.each([
  ["no token", "/guarded", undefined, 401, "Unauthorized", /^Bearer$/],
  [
    "a string that is not a token",
    "/guarded",
    "Bearer x",
    401,
    "Unauthorized",
    /^Bearer scope="" error="invalid_token" /,
  ],
  ["a token with other scopes", "/out-of-reach", "access", 403, "Forbidden", /^Bearer scope="admin" error="insuff/],
])("%s does not reach the function", async (_, path, token, status, message, challenge) => {
  const response = await get(path, token === "access" ? `Bearer ${tokens.accessToken}` : token);

  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ message });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("www-authenticate")).toMatch(challenge);
});
