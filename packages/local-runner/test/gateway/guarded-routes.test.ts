import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signInForTokens, type Tokens } from "../../../../tools/support/sign-in.ts";
import { type LocalService, startLocalService } from "../../src/service.ts";
import { writeLoginAssembly } from "../login-fixture.ts";

const user = { username: "user@example.com", password: "let me in", groups: ["Admin", "Superuser"] };

let directory: string;
let service: LocalService;
let tokens: Tokens;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "local-guarded-"));
  service = await startLocalService({
    port: 0,
    dataDirectory: join(directory, "data"),
    assembly: await writeLoginAssembly(directory),
    additionalUsers: [user],
  });
  tokens = await signInForTokens(service, user);
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const get = (path: string, authorization?: string) =>
  fetch(`${service.baseUrl}${path}`, { headers: authorization === undefined ? {} : { authorization } });

test("a function behind an authorizer learns the claims of the token, as texts", async () => {
  const response = await get("/guarded", `Bearer ${tokens.accessToken}`);
  const { iat, exp, sub } = decodeJwt(tokens.accessToken);

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    jwt: {
      claims: expect.objectContaining({
        ...{ sub, iat: String(iat), exp: String(exp) },
        iss: service.loginUrl,
        username: user.username,
        "cognito:groups": "[Admin Superuser]",
        token_use: "access",
        client_id: service.loginClientIds[0],
      }),
      scopes: null,
    },
  });
});

test("an ID token passes too, as in AWS, and is told by its token_use", async () => {
  const response = await get("/guarded", tokens.idToken);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ jwt: { claims: { token_use: "id" } } });
});

test("a route without an authorizer takes any request, and tells its function nothing of a token", async () => {
  const response = await get("/open", `Bearer ${tokens.accessToken}`);

  expect(response.status).toBe(200);
  expect(await response.json()).toBeNull();
});

test("a route that asks for scopes takes a token that has one of them, and tells the function which it has", async () => {
  const response = await get("/scoped", `Bearer ${tokens.accessToken}`);

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ jwt: { scopes: ["openid", "email"] } });
});

test.each([
  ["no token", "/guarded", undefined, 401, "Unauthorized", /^Bearer$/],
  ["what is no token", "/guarded", "Bearer x", 401, "Unauthorized", /^Bearer scope="" error="invalid_token" /],
  ["a token of another scope", "/out-of-reach", "access", 403, "Forbidden", /^Bearer scope="admin" error="insuff/],
])("%s does not reach the function", async (_, path, token, status, message, challenge) => {
  const response = await get(path, token === "access" ? `Bearer ${tokens.accessToken}` : token);

  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ message });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("www-authenticate")).toMatch(challenge);
});
