import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { signInForTokens, type Tokens } from "../../src/login/sign-in.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { sharedService } from "../support/services.ts";

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
