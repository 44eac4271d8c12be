import { once } from "node:events";
import { request } from "node:http";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { exchangeCode, signInForTokens, startSignIn } from "../../src/login/sign-in.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { sharedService } from "../support/services.ts";

const guest = { username: "guest@example.com", password: "let me in", groups: [] };

const service = sharedService(async (directory) => ({
  assembly: writeLoginAssembly(directory),
  additionalUsers: [guest],
}));
afterAll(() => expect(service().logged()).toBe(""));

const loginOf = (username: string) => {
  const login = service().logins.find((candidate) => candidate.username === username);
  if (login === undefined) throw new Error(`There is no login ${username}.`);
  return login;
};

/** Returns a browser with a newly signed-in user, and the address where the sign-in ended. */
const signedIn = async (username = "admin@example.com") => {
  const { browser, verifier, address } = startSignIn(service());
  const { password } = loginOf(username);
  const { url } = await browser.follow(address, new URLSearchParams({ username, password }));
  return { browser, verifier, address, code: new URL(url).searchParams.get("code") ?? "" };
};

test("discovery gives pages of any origin the login's addresses and only the public key", async () => {
  const login = service().loginUrl;
  const discovered = await fetch(`${login}/.well-known/openid-configuration`);
  expect(discovered.headers.get("access-control-allow-origin")).toBe("*");
  expect(await discovered.json()).toMatchObject({
    issuer: login,
    authorization_endpoint: `${login}/oauth2/authorize`,
    token_endpoint: `${login}/oauth2/token`,
    end_session_endpoint: `${login}/logout`,
    jwks_uri: `${login}/.well-known/jwks.json`,
  });
  const { keys } = JSON.parse(await (await fetch(`${login}/.well-known/jwks.json`)).text());
  expect(keys.map((key: object) => Object.keys(key).toSorted())).toEqual([["alg", "e", "kid", "kty", "n", "use"]]);
});

describe("a login", () => {
  test("has one user per group, in addition to the configured ones", () => {
    const password = expect.stringMatching(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    expect(service().logins).toEqual([
      { username: "admin@example.com", password, groups: ["Admin"] },
      { username: "superuser@example.com", password, groups: ["Superuser"] },
      guest,
    ]);
    expect(new Set(service().logins.map((login) => login.password)).size).toBe(3);
  });

  test("issues tokens with Cognito's claims, signed by the published key", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { accessToken, idToken } = await signInForTokens(service(), loginOf("admin@example.com"));
    const keys = createRemoteJWKSet(new URL(`${service().loginUrl}/.well-known/jwks.json`));
    const { payload: access } = await jwtVerify(accessToken, keys, { algorithms: ["RS256"] });
    const { payload: id } = await jwtVerify(idToken, keys, { algorithms: ["RS256"] });

    const [clientId] = service().loginClientIds;
    const common = { iss: service().loginUrl, sub: access.sub, "cognito:groups": ["Admin"] };
    expect(access).toMatchObject({
      ...common,
      ...{ client_id: clientId, username: "admin@example.com", token_use: "access", scope: "openid email" },
    });
    expect(access.sub).toMatch(/^[0-9a-f-]{36}$/);
    expect(access).not.toHaveProperty("aud");
    expect(id).toMatchObject({
      ...common,
      ...{ aud: clientId, "cognito:username": "admin@example.com", token_use: "id", email: "admin@example.com" },
    });
    for (const [{ iat = 0, exp = 0 }, minutes] of [
      [access, 30],
      [id, 10],
    ] as const) {
      expect(exp - iat).toBe(minutes * 60);
      expect(iat).toBeGreaterThanOrEqual(before);
      expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
    }

    const guests = await signInForTokens(service(), guest);
    expect(decodeJwt(guests.accessToken)).toMatchObject({ username: guest.username });
    for (const token of Object.values(guests)) expect(decodeJwt(token)).not.toHaveProperty("cognito:groups");
  });

  test("ignores the case of the user name, and asks for credentials once per browser unless told otherwise", async () => {
    const { browser, verifier, address } = startSignIn(service());
    const { username, password } = loginOf("admin@example.com");
    await browser.follow(address, new URLSearchParams({ username: ` ${username.toUpperCase()} `, password }));
    const again = await browser.follow(address);
    const { origin, searchParams } = new URL(again.url);

    expect([origin, searchParams.get("state")]).toEqual([service().baseUrl, "state"]);
    const code = searchParams.get("code") ?? "";
    expect(decodeJwt((await exchangeCode(service(), { code, verifier })).accessToken).username).toBe(username);
    expect((await browser.follow(`${address}&prompt=login`)).text).toContain('type="password"');
    const silent = await startSignIn(service()).browser.follow(`${address}&prompt=none`);
    expect(new URL(silent.url).searchParams.get("error")).toBe("login_required");
  });

  test("issues a code that can be used once, and only with the verifier of the same login", async () => {
    const [first, second] = [await signedIn(), await signedIn()];

    await expect(exchangeCode(service(), { ...second, verifier: first.verifier })).rejects.toThrow("failed with 400");
    await exchangeCode(service(), first);
    await expect(exchangeCode(service(), first)).rejects.toThrow("failed with 400");
  });

  test("issues a code that is valid only for its redirect URI and for five minutes", async () => {
    const { loginUrl, loginClientIds } = service();
    const elsewhere = { loginUrl, loginClientIds, baseUrl: "https://evil.example" };
    await expect(exchangeCode(elsewhere, await signedIn())).rejects.toThrow("failed with 400");
    const late = await signedIn();
    vi.useFakeTimers({ now: Date.now() + 300_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await expect(exchangeCode(service(), late)).rejects.toThrow("failed with 400");
  });

  test("lasts an hour in the browser, out of reach of scripts and of other sites' forms", async () => {
    const { browser, address } = startSignIn(service());
    const { username, password } = loginOf("admin@example.com");
    const { headers } = await browser.follow(address, new URLSearchParams({ username, password }));
    const [cookie] = headers.getSetCookie();
    expect(cookie).toMatch(/^login_\d+_session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/);
  });
});

describe("the login page", () => {
  test("works with password managers, runs no scripts, and cannot be framed", async () => {
    const { browser, address } = startSignIn(service());
    const { status, text, headers } = await browser.follow(address);

    expect(status).toBe(200);
    for (const part of ['autocomplete="username"', 'autocomplete="current-password"', `to ${service().baseUrl}`]) {
      expect(text).toContain(part);
    }
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/default-src 'none'; style-src 'sha256-/);
    expect(policy).toContain(`form-action 'self' ${service().baseUrl};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["a wrong password", "admin@example.com", "wrong"],
    ["no password", "admin@example.com", ""],
    ["a user who does not exist", '"><b>', "wrong"],
    ["a user who does not exist, and no password", "nobody@example.com", ""],
  ])(
    "shows the form again for %s, without saying whether the name or the password was wrong",
    async (_, username, password) => {
      const { browser, address } = startSignIn(service());
      const answer = await browser.follow(address, new URLSearchParams({ username, password }));

      expect([answer.status, answer.url]).toEqual([403, address]);
      expect(answer.text).toContain('role="alert">The user name or the password is wrong.<');
      expect(answer.text).toContain(`value="${username.replace('"><b>', "&quot;&gt;&lt;b&gt;")}"`);
      expect(answer.text).not.toContain("wrong@");
    },
  );
});

test("accepts the login form from its own page, and rejects it from another site", async () => {
  const post = (origin: string) => {
    const { username, password } = loginOf("admin@example.com");
    const body = new URLSearchParams({ username, password });
    return fetch(startSignIn(service()).address, { method: "POST", redirect: "manual", body, headers: { origin } });
  };
  expect((await post(service().loginUrl ?? "")).status).toBe(303);
  for (const origin of ["https://evil.example", service().baseUrl, "null"]) {
    const { status, headers } = await post(origin);
    expect([status, headers.getSetCookie()]).toEqual([403, []]);
  }
});

describe("a request for a login is rejected", () => {
  test.each([
    ["a return address that is not registered", () => ({ redirect_uri: "https://evil.example/" })],
    ["a registered address with an addition", () => ({ redirect_uri: `${service().baseUrl}/more` })],
    ["a client that does not exist", () => ({ client_id: "other" })],
  ])("with an error page instead of a redirect: %s", async (_, parameters) => {
    const { browser, address } = startSignIn(service(), parameters());
    const answer = await browser.follow(address);

    expect([answer.status, answer.url]).toEqual([400, address]);
    expect(answer.text).toContain("This login cannot go on");
  });

  test.each([
    ["no PKCE", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    ["PKCE without a hash", { code_challenge_method: "plain" }, "invalid_request"],
    ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
    ["a scope that the client may not ask for", { scope: "openid phone" }, "invalid_scope"],
  ])("with a redirect to the client that states the reason: %s", async (_, parameters, error) => {
    const { browser, address } = startSignIn(service(), parameters);
    const { origin, searchParams } = new URL((await browser.follow(address)).url);

    expect([origin, searchParams.get("error"), searchParams.has("code")]).toEqual([service().baseUrl, error, false]);
  });
});

test("only the client's page can call the token endpoint, whatever other hosts are called", async () => {
  const body = new URLSearchParams({ client_id: service().loginClientIds[0] ?? "" });
  const call = (origin: string) =>
    fetch(`${service().loginUrl}/oauth2/token`, { method: "POST", body, headers: { origin } });
  expect((await call(service().baseUrl)).headers.get("access-control-allow-origin")).toBe(service().baseUrl);
  expect((await call("https://evil.example")).headers.has("access-control-allow-origin")).toBe(false);

  const url = `${service().loginUrl}/.well-known/jwks.json`;
  const [response] = await once(request(url, { headers: { host: "evil.example" } }).end(), "response");
  expect(response.statusCode).toBe(403);
});

describe("a sign-out", () => {
  const signOut = (parameters: Record<string, string> = {}) =>
    `${service().loginUrl}/logout?${new URLSearchParams({
      client_id: service().loginClientIds[0] ?? "",
      logout_uri: `${service().baseUrl}/`,
      post_logout_redirect_uri: `${service().baseUrl}/`,
      ...parameters,
    })}`;

  test("needs no confirmation, redirects back, and makes the next login ask for the password", async () => {
    const { browser, address } = await signedIn();
    const end = await browser.follow(signOut({ state: "bye" }));

    expect(end.url).toBe(`${service().baseUrl}/?state=bye`);
    expect((await browser.follow(address)).text).toContain('type="password"');
  });

  test("to an unregistered address is rejected, and the session continues", async () => {
    const { browser, address } = await signedIn();
    const end = await browser.follow(signOut({ post_logout_redirect_uri: "https://evil.example/" }));

    expect(end.status).toBe(400);
    expect((await browser.follow(address)).url).toMatch(/\?code=/);
  });

  test("without a redirect URI ends on a login page", async () => {
    const { browser } = await signedIn();
    expect(await browser.follow(`${service().loginUrl}/logout`)).toMatchObject({
      status: 200,
      text: expect.stringContaining("You are signed out."),
    });
  });
});
