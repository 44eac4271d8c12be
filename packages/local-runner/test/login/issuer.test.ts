import { once } from "node:events";
import { request } from "node:http";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, describe, expect, test, vi } from "vitest";
import { exchangeCode, signInForTokens, startSignIn } from "../../src/login/sign-in.ts";
import { writeLoginAssembly } from "../support/login-assembly.ts";
import { sharedService } from "../support/services.ts";

const guest = { username: "guest@example.com", password: "let me in", groups: [] };

// oidc-provider reports unsuitable settings there.
const consoles = [vi.spyOn(console, "info"), vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
const service = sharedService(async (directory) => ({
  assembly: await writeLoginAssembly(directory),
  additionalUsers: [guest],
}));
afterAll(() => {
  for (const console of consoles) expect(console).not.toHaveBeenCalled();
  expect(service().logged()).toBe("");
});

const loginOf = (username: string) => {
  const login = service().logins.find((candidate) => candidate.username === username);
  if (login === undefined) throw new Error(`There is no login ${username}.`);
  return login;
};

/** A browser in which a user has just signed in, and where that ended. */
const signedIn = async (username = "Alice") => {
  const { browser, verifier, address } = startSignIn(service());
  const page = await browser.follow(address);
  const { password } = loginOf(username);
  const { url } = await browser.follow(page.url, new URLSearchParams({ username, password }));
  return { browser, verifier, address, code: new URL(url).searchParams.get("code") ?? "" };
};

const visit = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service().loginUrl}${path}`, { headers, redirect: "manual" });

describe("discovery", () => {
  test("gives pages of any origin the addresses of the login, as Cognito does", async () => {
    const response = await visit("/.well-known/openid-configuration", { origin: service().baseUrl });

    expect(response.headers.get("access-control-allow-origin")).toBe(service().baseUrl);
    expect(await response.json()).toMatchObject({
      issuer: service().loginUrl,
      authorization_endpoint: `${service().loginUrl}/oauth2/authorize`,
      token_endpoint: `${service().loginUrl}/oauth2/token`,
      revocation_endpoint: `${service().loginUrl}/oauth2/revoke`,
      end_session_endpoint: `${service().loginUrl}/logout`,
      jwks_uri: `${service().loginUrl}/.well-known/jwks.json`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
    });
  });

  test("publishes only the public part of the key", async () => {
    const response = await visit("/.well-known/jwks.json");
    const { keys } = JSON.parse(await response.text());

    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
  });
});

describe("a login", () => {
  test("has a user for each group and for each user of the template, in addition to those of the run", () => {
    expect(service().logins).toEqual([
      { username: "Alice", password: expect.any(String), groups: ["Superuser", "Admin"] },
      { username: "admin@example.com", password: expect.any(String), groups: ["Admin"] },
      { username: "superuser@example.com", password: expect.any(String), groups: ["Superuser"] },
      guest,
    ]);
    const passwords = service()
      .logins.slice(0, 3)
      .map(({ password }) => password);
    expect(new Set(passwords).size).toBe(3);
    for (const password of passwords) expect(password).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  });

  test("gives tokens with Cognito's claims, signed by the published key", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { accessToken, idToken } = await signInForTokens(service(), loginOf("Alice"));
    const keys = createRemoteJWKSet(new URL(`${service().loginUrl}/.well-known/jwks.json`));
    const [clientId] = service().loginClientIds;
    const { payload: access, protectedHeader } = await jwtVerify(accessToken, keys);
    const { payload: id } = await jwtVerify(idToken, keys);

    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: expect.any(String) });
    const common = { iss: service().loginUrl, sub: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    const groups = { "cognito:groups": ["Superuser", "Admin"] };
    const scope = "openid email";
    expect(access).toMatchObject({
      ...common,
      ...groups,
      client_id: clientId,
      username: "Alice",
      token_use: "access",
      scope,
    });
    const email = "alice@example.org";
    expect(id).toMatchObject({
      ...groups,
      aud: clientId,
      "cognito:username": "Alice",
      token_use: "id",
      email,
      sub: access.sub,
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

  test("ignores the case of the user name, as the pool does, and asks only once in the same browser", async () => {
    const { browser, verifier, address } = startSignIn(service());
    const page = await browser.follow(address);
    const { username, password } = loginOf("admin@example.com");
    await browser.follow(page.url, new URLSearchParams({ username: ` ${username.toUpperCase()} `, password }));
    const again = await browser.follow(address);
    const code = new URL(again.url).searchParams.get("code") ?? "";

    expect(again.url).toMatch(new RegExp(`^${service().baseUrl}/\\?code=`));
    expect(new URL(again.url).searchParams.get("state")).toBe("state");
    expect(decodeJwt((await exchangeCode(service(), { code, verifier })).accessToken).username).toBe(username);
  });
});

describe("the login page", () => {
  test("can be filled by a password manager, runs no script, and cannot be framed", async () => {
    const { browser, address } = startSignIn(service(), { login_hint: '"><b>' });
    const page = await browser.follow(address);

    expect(page.status).toBe(200);
    expect(page.text).toContain('autocomplete="username"');
    expect(page.text).toContain('autocomplete="current-password"');
    expect(page.text).toContain(`to ${service().baseUrl}`);
    expect(page.text).toContain('value="&quot;&gt;&lt;b&gt;"');
    const policy = page.headers.get("content-security-policy");
    expect(policy).toMatch(/default-src 'none'; script-src; style-src 'sha256-/);
    expect(policy).toContain(`form-action 'self' ${service().baseUrl};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["a wrong password", "admin@example.com", "wrong"],
    ["no password", "admin@example.com", ""],
    ["a user who does not exist", "nobody@example.com", "wrong"],
    ["a user who does not exist, and no password", "nobody@example.com", ""],
  ])(
    "%s gets the same answer: the form again, without saying which of the two was wrong",
    async (_, username, password) => {
      const { browser, address } = startSignIn(service());
      const page = await browser.follow(address);
      const answer = await browser.follow(page.url, new URLSearchParams({ username, password }));

      expect(answer.status).toBe(403);
      expect(answer.url).toBe(page.url);
      expect(answer.text).toContain('role="alert">The user name or the password is wrong.<');
      expect(answer.text).toContain(`value="${username}"`);
      expect(answer.text).not.toContain("wrong@");
    },
  );

  test("of another browser or an earlier run says that the login is over and links back", async () => {
    const { browser, address } = startSignIn(service());
    const page = await browser.follow(address);
    const { username, password } = loginOf("Alice");
    const other = await fetch(page.url, { method: "POST", body: new URLSearchParams({ username, password }) });

    expect(other.status).toBe(400);
    expect(await other.text()).toMatch(/This login is over.*Begin again\..*href="http:\/\/127\.0\.0\.1:\d+\/"/s);
  });
});

describe("a request for a login is refused", () => {
  test.each([
    ["a return address that is not registered", () => ({ redirect_uri: "https://evil.example/" })],
    ["a registered address with an addition", () => ({ redirect_uri: `${service().baseUrl}/more` })],
    ["a client that does not exist", () => ({ client_id: "other" })],
  ])("%s: on a page, without a redirect", async (_, parameters) => {
    const { browser, address } = startSignIn(service(), parameters());
    const answer = await browser.follow(address);

    expect(answer.status).toBe(400);
    expect(answer.url).toBe(address);
    expect(answer.text).toContain("This login cannot go on");
  });

  test.each([
    ["no PKCE", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    ["PKCE without a hash", { code_challenge_method: "plain" }, "invalid_request"],
    ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
    ["a scope that the client may not ask for", { scope: "openid phone" }, "invalid_scope"],
    ["a login without a prompt", { prompt: "none" }, "login_required"],
  ])("%s: back to the client, with the reason", async (_, parameters, error) => {
    const { browser, address } = startSignIn(service(), parameters);
    const { origin, searchParams } = new URL((await browser.follow(address)).url.replace("#", "?"));

    expect(origin).toBe(service().baseUrl);
    expect(searchParams.get("error")).toBe(error);
    expect(searchParams.has("code")).toBe(false);
  });

  test("a code is valid once, and only with the verifier of its own login", async () => {
    const [first, second] = [await signedIn(), await signedIn()];

    await expect(exchangeCode(service(), { ...second, verifier: first.verifier })).rejects.toThrow("answered 400");
    await exchangeCode(service(), first);
    await expect(exchangeCode(service(), first)).rejects.toThrow("answered 400");
  });
});

describe("who may call", () => {
  test("the client's page may call the token endpoint, and other pages may not", async () => {
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: service().loginClientIds[0] ?? "",
    });
    const call = (origin: string) =>
      fetch(`${service().loginUrl}/oauth2/token`, { method: "POST", body, headers: { origin } });

    expect((await call(service().baseUrl)).headers.get("access-control-allow-origin")).toBe(service().baseUrl);
    expect((await call("https://evil.example")).headers.has("access-control-allow-origin")).toBe(false);
  });

  test("a page whose own host name is bound to this address gets nothing", async () => {
    const url = `${service().loginUrl}/.well-known/jwks.json`;
    const renamed = request(url, { headers: { host: "evil.example" } }).end();
    const [response] = await once(renamed, "response");

    expect(response.statusCode).toBe(403);
  });
});

describe("a sign-out", () => {
  const signOut = (parameters: Record<string, string> = {}) =>
    `${service().loginUrl}/logout?${new URLSearchParams({
      client_id: service().loginClientIds[0] ?? "",
      logout_uri: `${service().baseUrl}/`,
      post_logout_redirect_uri: `${service().baseUrl}/`,
      ...parameters,
    })}`;

  test("needs no confirmation, returns, and the next login asks for the password", async () => {
    const { browser, address } = await signedIn();
    const end = await browser.follow(signOut({ state: "bye" }));

    expect(end.url).toBe(`${service().baseUrl}/?state=bye`);
    expect((await browser.follow(address)).text).toContain('type="password"');
  });

  test("to an address that is not registered is refused, and the session stays", async () => {
    const { browser, address } = await signedIn();
    const end = await browser.follow(signOut({ post_logout_redirect_uri: "https://evil.example/" }));

    expect(end.status).toBe(400);
    expect((await browser.follow(address)).url).toMatch(/\?code=/);
  });

  test("without a return address ends on a page of the login", async () => {
    const { browser } = await signedIn();
    const end = await browser.follow(`${service().loginUrl}/logout`);

    expect(end.status).toBe(200);
    expect(end.text).toContain("You are signed out.");
  });
});
