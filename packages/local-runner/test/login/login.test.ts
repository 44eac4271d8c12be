import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import type { UserPoolDefinition } from "../../src/assembly/user-pool.ts";
import { authorizeByJwt } from "../../src/gateway/jwt-authorizer.ts";
import { createLogin } from "../../src/login/login.ts";
import { signIn } from "../../src/login/sign-in.ts";
import { openListener } from "../../src/support/http-listener.ts";
import { temporaryDirectory } from "../support/folders.ts";

const baseUrl = "http://127.0.0.1:1";
const userPool: UserPoolDefinition = {
  isCaseSensitive: false,
  groups: ["Admin"],
  users: [],
  clients: [
    {
      id: "web",
      scopes: ["openid", "email"],
      callbackUrls: [`${baseUrl}/`],
      logoutUrls: [],
      accessTokenSeconds: 3600,
      idTokenSeconds: 3600,
      mayRevoke: true,
    },
  ],
};

const startLogin = async (dataDirectory: string, port: number) => {
  const listener = await openListener(port, "the login");
  const log = (text: string) => expect.unreachable(text);
  const login = createLogin({ listener, baseUrl, dataDirectory, additionalUsers: [], log });
  const issuer = await login.prepare(userPool);
  login.serve(issuer);
  const [user] = issuer?.logins ?? [];
  if (!user) throw new Error("There is no login.");
  return { listener, issuer, user, service: { baseUrl, loginUrl: listener.url, loginClientIds: ["web"] } };
};

test("after a restart passwords, users' ids and the key are the same, so earlier tokens stay valid", async () => {
  const dataDirectory = await temporaryDirectory();
  const first = await startLogin(dataDirectory, 0);
  const token = await signIn(first.service, first.user);
  await first.listener.close(0);
  const second = await startLogin(dataDirectory, first.listener.port);
  const again = await signIn(second.service, first.user);
  const route = { authorizer: { issuer: second.listener.url, audience: ["web"] }, scopes: [] };
  const authorized = await authorizeByJwt(token, route, second.issuer?.keys);
  await second.listener.close(0);

  expect(second.user).toEqual(first.user);
  expect(authorized).toMatchObject({ jwt: { claims: { username: first.user.username } } });
  expect(decodeJwt(again).sub).toBe(decodeJwt(token).sub);
});

test("the login's port says so if the application has no user pool", async () => {
  const listener = await openListener(0, "the login");
  const log = (text: string) => expect.unreachable(text);
  const login = createLogin({ listener, baseUrl, dataDirectory: "unused", additionalUsers: [], log });
  login.serve(await login.prepare(undefined));
  const answer = await fetch(listener.url);
  const text = await answer.text();
  await listener.close(0);

  expect([answer.status, text]).toEqual([404, "This application has no user pool."]);
});
