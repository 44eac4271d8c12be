import { hash, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createLocalJWKSet, importJWK, type JWTPayload, type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import type { LoginClient, UserPoolDefinition } from "../assembly/user-pool.ts";
import { hasForeignHost, readBody, sendJson, withFailures } from "../support/http-listener.ts";
import { type Account, type Login, type LoginFile, readAccounts } from "./login-file.ts";
import { loginPage, messagePage, pageHeaders } from "./pages.ts";
import type { WorkloadIssuer } from "./workload-issuer.ts";

/** The path of the issuer of JWTs for workloads, below the login's address. */
export const workloadsPath = "/workloads";

const maximumFormBytes = 16 * 1024;
const sessionSeconds = 3600;
const codeMilliseconds = 300_000;

interface LoginOptions {
  /** The issuer's address, which is also its name in tokens. */
  url: string;
  /** The application's address, for users who open a login page directly. */
  baseUrl: string;
  dataDirectory: string;
  /** Users in addition to the pool's users, for this run only. */
  additionalUsers: Login[];
  workloads: WorkloadIssuer;
  /** The functions' time (Unix milliseconds). Functions check a token's age by it. */
  now: () => number;
  log: (text: string) => void;
}

/** Stands in for the user pool's login: an OpenID Connect issuer with a login page. */
export interface Issuer {
  listener: RequestListener;
  /** Finds the key that signed a token of this issuer. */
  keys: JWTVerifyGetKey;
  logins: Login[];
}

/** A login whose code hasn't been exchanged for tokens yet. */
interface Grant {
  account: Account;
  clientId: string;
  redirectUri: string;
  scopes: string[];
  challenge: string;
  nonce: string | null;
  expiresAt: number;
}

/** Returns a function that creates a user pool's issuer. Logins in progress and sessions survive a change of the pool. */
export const createLogin = ({ additionalUsers, dataDirectory, ...options }: LoginOptions) => {
  const grants = new Map<string, Grant>();
  const additional = additionalUsers.map((login) => ({ ...login, sub: randomUUID() }));
  return async ({ groups, clients, isCaseSensitive }: UserPoolDefinition): Promise<Issuer> => {
    const [file, own] = await readAccounts(dataDirectory, groups);
    const accounts = [...own, ...additional];
    const { kty, n, e, alg, use, kid } = file.signing_key;
    const published = { keys: [{ kty, n, e, alg, use, kid }] };
    return {
      listener: await createListener({ ...options, clients, isCaseSensitive, accounts, file, published, grants }),
      keys: createLocalJWKSet(published),
      logins: accounts.map(({ sub: _, ...login }) => login),
    };
  };
};

interface ListenerOptions extends Pick<LoginOptions, "url" | "baseUrl" | "workloads" | "now" | "log"> {
  clients: LoginClient[];
  isCaseSensitive: boolean;
  accounts: Account[];
  file: LoginFile;
  published: object;
  grants: Map<string, Grant>;
}

// The comparison requires values of equal length.
const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** Whether a page of another site sent the request. Browsers send an origin with each form. The `Host` has already been checked. */
const isFromOtherSite = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin !== undefined && origin !== `http://${host}`;

type Handle = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => unknown;

/** Serves the addresses of Cognito's managed login: the code flow with PKCE for clients without a secret, and the sign-out. */
const createListener = async (options: ListenerOptions): Promise<RequestListener> => {
  const { url, baseUrl, workloads, now, log, clients, isCaseSensitive, accounts, file, published, grants } = options;
  const signingKey = await importJWK(file.signing_key, "RS256");
  const sessionKey = Buffer.from(file.cookie_key);
  // Browsers separate cookies by host but not by port. With the port in its name, local runs don't share the cookie.
  const cookie = `login_${new URL(url).port}_session`;
  const originOf = (address: string) => new URL(address).origin;
  const originsOf = ({ callbackUrls, logoutUrls }: LoginClient) => [...callbackUrls, ...logoutUrls].map(originOf);
  const headers = pageHeaders([...new Set(clients.flatMap(originsOf))]);

  const sendPage = (response: ServerResponse, status: number, html: string): void => {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
  };
  const sendMessage = (response: ServerResponse, status: number, title: string, text: string): void =>
    sendPage(response, status, messagePage(title, text, `${baseUrl}/`));
  const redirect = (response: ServerResponse, target: string, parameters: Record<string, string | null>): void => {
    const address = new URL(target);
    for (const [name, value] of Object.entries(parameters)) if (value !== null) address.searchParams.set(name, value);
    response.writeHead(303, { location: address.href }).end();
  };

  const startSession = async (response: ServerResponse, { sub }: Account): Promise<void> => {
    const session = new SignJWT({ sub }).setProtectedHeader({ alg: "HS256" }).setExpirationTime(`${sessionSeconds}s`);
    const value = await session.sign(sessionKey);
    response.setHeader("set-cookie", `${cookie}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionSeconds}`);
  };
  const accountInSession = async ({ headers }: IncomingMessage): Promise<Account | undefined> => {
    const [, value = ""] = new RegExp(`(?:^|; )${cookie}=([^;]*)`).exec(headers.cookie ?? "") ?? [];
    const session = await jwtVerify(value, sessionKey).catch(() => undefined);
    return accounts.find(({ sub }) => sub === session?.payload.sub);
  };

  const nameOf = (username: string) => (isCaseSensitive ? username : username.toLowerCase());
  /** Returns undefined for a wrong password or an unknown user. Both cases take the same time. */
  const accountWith = (username: string, password: string): Account | undefined => {
    const account = accounts.find((one) => nameOf(one.username) === nameOf(username));
    return timingSafeEqual(digest(password), digest(account?.password ?? "")) ? account : undefined;
  };

  const authorize: Handle = async (request, response, query) => {
    const redirectUri = query.get("redirect_uri") ?? "";
    const client = clients.find(({ id }) => id === query.get("client_id"));
    if (!client?.callbackUrls.includes(redirectUri)) {
      const text = "The application is not registered, or the address that it wants the login to return to is not.";
      return sendMessage(response, 400, "This login cannot go on", text);
    }
    const finish = (result: Record<string, string>) =>
      redirect(response, redirectUri, { ...result, state: query.get("state") });
    const scopes = query.get("scope")?.split(" ").filter(Boolean) ?? client.scopes;
    const challenge = query.get("code_challenge") ?? "";
    if (query.get("response_type") !== "code") return finish({ error: "unsupported_response_type" });
    if (challenge === "" || query.get("code_challenge_method") !== "S256") return finish({ error: "invalid_request" });
    if (scopes.some((scope) => !client.scopes.includes(scope))) return finish({ error: "invalid_scope" });

    const isForm = request.method === "POST";
    if (isForm && isFromOtherSite(request)) {
      return sendMessage(response, 403, "This login cannot go on", "Another site has sent the form of the login.");
    }
    const form = new URLSearchParams(isForm ? (await readBody(request, maximumFormBytes))?.toString() : "");
    const username = form.get("username")?.trim() ?? "";
    const known = query.get("prompt") === "login" ? undefined : await accountInSession(request);
    const account = isForm ? accountWith(username, form.get("password") ?? "") : known;
    if (account === undefined) {
      if (query.get("prompt") === "none") return finish({ error: "login_required" });
      const error = isForm ? "The user name or the password is wrong." : undefined;
      const page = loginPage({ name: client.name, destination: originOf(redirectUri), username, error });
      return sendPage(response, isForm ? 403 : 200, page);
    }
    if (isForm) await startSession(response, account);
    const time = Date.now();
    for (const [code, { expiresAt }] of grants) if (expiresAt <= time) grants.delete(code);
    const code = randomUUID();
    const asked = { clientId: client.id, redirectUri, scopes, challenge, nonce: query.get("nonce") };
    grants.set(code, { account, ...asked, expiresAt: time + codeMilliseconds });
    finish({ code });
  };

  const sign = (claims: JWTPayload, seconds: number): Promise<string> => {
    const issuedAt = Math.floor(now() / 1000);
    return new SignJWT({ ...claims, jti: randomUUID() })
      .setProtectedHeader({ alg: "RS256", kid: file.signing_key.kid })
      .setIssuer(url)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(signingKey);
  };

  const exchange: Handle = async (request, response) => {
    const form = new URLSearchParams((await readBody(request, maximumFormBytes))?.toString());
    const client = clients.find(({ id }) => id === form.get("client_id"));
    const { origin } = request.headers;
    if (origin !== undefined && client?.callbackUrls.map(originOf).includes(origin)) {
      response.setHeader("access-control-allow-origin", origin);
    }
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const isValid =
      grant !== undefined &&
      grant.expiresAt > Date.now() &&
      grant.clientId === client?.id &&
      grant.redirectUri === form.get("redirect_uri") &&
      grant.challenge === hash("sha256", form.get("code_verifier") ?? "", "base64url");
    if (form.get("grant_type") !== "authorization_code" || client === undefined || !isValid) {
      return sendJson(response, 400, { error: "invalid_grant" });
    }
    const { account, scopes, nonce } = grant;
    const { sub, username, groups } = account;
    // Without groups, Cognito has no claim.
    const user = { sub, ...(groups.length > 0 && { "cognito:groups": groups }) };
    const access = { ...user, username, token_use: "access", client_id: client.id, scope: scopes.join(" ") };
    const id = {
      ...{ ...user, "cognito:username": username, token_use: "id", aud: client.id },
      ...(scopes.includes("email") && { email: username, email_verified: true }),
      ...(nonce !== null && { nonce }),
    };
    sendJson(response, 200, {
      access_token: await sign(access, client.accessTokenSeconds),
      ...(scopes.includes("openid") && { id_token: await sign(id, client.idTokenSeconds) }),
      token_type: "Bearer",
      expires_in: client.accessTokenSeconds,
    });
  };

  /** Ends the session without confirmation, like Cognito. A forged link can only force somebody to sign in again. */
  const signOut: Handle = (_, response, query) => {
    const targets = ["logout_uri", "post_logout_redirect_uri"].flatMap((name) => query.getAll(name));
    const known = clients
      .filter(({ id }) => (query.get("client_id") ?? id) === id)
      .flatMap(({ logoutUrls }) => logoutUrls);
    if (targets.some((target) => !known.includes(target))) {
      const text = "The address that it should return to is not registered.";
      return sendMessage(response, 400, "This sign-out cannot go on", text);
    }
    response.setHeader("set-cookie", `${cookie}=; Path=/; Max-Age=0`);
    const [target] = targets;
    if (target !== undefined) return redirect(response, target, { state: query.get("state") });
    sendMessage(response, 200, "Signed out", "You are signed out. You can close this page.");
  };

  /** Serves what pages of any origin may read. */
  const publish =
    (value: object): Handle =>
    (_, response) =>
      sendJson(response.setHeader("access-control-allow-origin", "*"), 200, value);

  const handlers: Record<string, Handle> = {
    "GET /.well-known/openid-configuration": publish({
      issuer: url,
      authorization_endpoint: `${url}/oauth2/authorize`,
      token_endpoint: `${url}/oauth2/token`,
      end_session_endpoint: `${url}/logout`,
      jwks_uri: `${url}/.well-known/jwks.json`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: [...new Set(clients.flatMap(({ scopes }) => scopes))],
    }),
    "GET /.well-known/jwks.json": publish(published),
    "GET /oauth2/authorize": authorize,
    "POST /oauth2/authorize": authorize,
    "POST /oauth2/token": exchange,
    "GET /logout": signOut,
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (hasForeignHost(request.headers)) return response.writeHead(403).end(`The login is at ${url}.`);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    const handle = handlers[`${request.method} ${pathname}`];
    if (handle) return handle(request, response, searchParams);
    const isForWorkload = request.method === "GET" && pathname.startsWith(workloadsPath);
    const found = isForWorkload && (await workloads.respond(pathname.slice(workloadsPath.length), searchParams));
    if (found) return sendJson(response, 200, found);
    return sendMessage(response, 404, "Login", "Sign in from the application's own pages.");
  };
  return withFailures(answer, {
    name: "Login",
    log,
    fail: (response) => sendMessage(response, 500, "The login failed", "Its log says why."),
  });
};
