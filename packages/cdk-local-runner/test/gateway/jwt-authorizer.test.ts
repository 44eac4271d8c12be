import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { authorizeByJwt, flattenClaims } from "../../src/gateway/jwt-authorizer.ts";
import { signInForTokens } from "../../src/login/sign-in.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { sharedService } from "../support/services.ts";

const authorizer = { issuer: "http://127.0.0.1:3003", audience: ["web", "cli"] };
const now = Math.floor(Date.now() / 1000);
const valid = { iss: authorizer.issuer, client_id: "web", iat: now, exp: now + 60 };

const [keys, { privateKey: otherKey }] = await Promise.all([
  generateKeyPair("RS256", { extractable: true }),
  generateKeyPair("RS256"),
]);
const keySet = createLocalJWKSet({
  keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "RS256", use: "sig" }],
});

/** Signs a token. A claim that is undefined is missing. */
const sign = (claims: object, header: object = {}, key = keys.privateKey) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(key);

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const authorize = (authorization: string | undefined) =>
  authorizeByJwt(authorization, authorizer, { keys: keySet, now: Date.now() });

test.each(["Bearer ", ""])("accepts a valid token after %j, and passes claims as strings", async (prefix) => {
  const claims = { iss: authorizer.issuer, client_id: "web", iat: String(now), exp: String(now + 60) };
  expect(await authorize(prefix + (await sign(valid)))).toEqual({ jwt: { claims, scopes: null } });
});

test.each([
  ["made for one of the audience, by client_id", { client_id: "cli" }],
  ["made for one of the audience, by aud", { client_id: "other", aud: "web" }],
  ["made for the audience and others", { aud: ["other", "web"] }],
  // An ID token's `aud` is its client. API Gateway doesn't distinguish it from an access token, so the function must.
  ["that is an ID token", { client_id: undefined, aud: "web", token_use: "id" }],
])("accepts a token %s", async (_, claims) => {
  expect(await authorize(`Bearer ${await sign({ ...valid, ...claims })}`)).toHaveProperty("jwt");
});

const badAudience = "the token does not have a valid audience";
const badAlgorithm = "the token is not signed with RS256";
const badSignature = "the signature of the token is not valid";
const malformed = "the token is malformed";

test.each<[what: string, token: () => Promise<string>, reason: string]>([
  ["has expired", () => sign({ ...valid, exp: now - 1 }), "the token has expired"],
  ["has no expiry", () => sign({ ...valid, exp: undefined }), "the claim exp of the token is not valid"],
  ["was issued at no time", () => sign({ ...valid, iat: undefined }), "the claim iat of the token is not valid"],
  ["was issued in the future", () => sign({ ...valid, iat: now + 60 }), "the token is used before it was issued"],
  ["is not valid yet", () => sign({ ...valid, nbf: now + 60 }), "the claim nbf of the token is not valid"],
  ["is of another issuer", () => sign({ ...valid, iss: "https://a" }), "the claim iss of the token is not valid"],
  ["is for another client", () => sign({ ...valid, client_id: "other" }), badAudience],
  ["is for another audience, although the client is right", () => sign({ ...valid, aud: "other" }), badAudience],
  ["is for an empty audience, although the client is right", () => sign({ ...valid, aud: [] }), badAudience],
  ["is signed with another key of the same name", () => sign(valid, {}, otherKey), badSignature],
  ["is signed with an unknown key", () => sign(valid, { kid: "two" }), "the token is signed with an unknown key"],
  ["does not name its key", () => sign(valid, { kid: undefined }), "the token does not name its key"],
  [
    "is not signed at all",
    async () => `${base64({ alg: "none", kid: "one" })}.${(await sign(valid)).split(".")[1]}.`,
    badAlgorithm,
  ],
  ...["a.b.c", "Basic YTpi", "Bearer a,Bearer b"].map((text): [string, () => Promise<string>, string] => [
    `is ${text}`,
    async () => text,
    malformed,
  ]),
])("rejects a token that %s with 401 and the reason", async (_, token, reason) => {
  expect(await authorize(await token())).toEqual({
    challenge: `Bearer scope="" error="invalid_token" error_description="${reason}"`,
  });
});

test("rejects every token if no key can verify it", async () => {
  const result = await authorizeByJwt(await sign(valid), authorizer, { keys: undefined, now: Date.now() });
  expect(result).toEqual({ challenge: expect.stringContaining("there is no key to verify") });
});

test.each([undefined, "", "Bearer "])(
  "responds to a missing token (%j) with a bare challenge",
  async (authorization) => {
    expect(await authorize(authorization)).toEqual({ challenge: "Bearer" });
  },
);

test("passes claims to the function as strings, with lists in brackets", () => {
  const claims = {
    sub: "a",
    exp: 5,
    email_verified: true,
    "cognito:groups": ["Admin", "Superuser"],
    x: { b: 1, a: 2 },
  };
  const strings = {
    sub: "a",
    exp: "5",
    email_verified: "true",
    "cognito:groups": "[Admin Superuser]",
    x: "map[a:2 b:1]",
  };
  expect(flattenClaims(claims)).toEqual(strings);
});

describe("behind the gateway", () => {
  const user = { username: "user@example.com", password: "let me in", groups: ["Admin", "Superuser"] };
  const service = sharedService(async (directory) => ({
    assembly: writeLoginAssembly(directory),
    additionalUsers: [user],
  }));

  test("passes the claims of either token to the function, but none on an unprotected route", async () => {
    const { accessToken, idToken } = await signInForTokens(service(), user);
    const get = async (path: string, token: string) =>
      (await fetch(`${service().baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
    const { iat, exp, sub } = decodeJwt(accessToken);
    const claims = {
      ...{ sub, iat: String(iat), exp: String(exp), iss: service().loginUrl, username: user.username },
      ...{ "cognito:groups": "[Admin Superuser]", token_use: "access", client_id: service().loginClientIds[0] },
    };
    expect(await get("/guarded", accessToken)).toEqual({
      jwt: { claims: expect.objectContaining(claims), scopes: null },
    });
    expect(await get("/guarded", idToken)).toMatchObject({ jwt: { claims: { token_use: "id" } } });
    expect(await get("/open", accessToken)).toBeNull();
  });

  test("returns the status and the challenge for a rejected request without calling the function", async () => {
    const response = await fetch(`${service().baseUrl}/guarded`);
    expect([response.status, await response.json()]).toEqual([401, { message: "Unauthorized" }]);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });
});
