import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createLocalJWKSet, type JWTVerifyGetKey } from "jose";
import Provider, { type Adapter, errors } from "oidc-provider";
import type { UserPoolDefinition } from "../assembly/user-pool.ts";
import { hasForeignHost, readBody } from "../support/http-listener.ts";
import { messageOf } from "../support/local-error.ts";
import { type Account, createAccounts, type Login, usersOf } from "./accounts.ts";
import { type LoginFile, openLoginFile } from "./login-file.ts";
import { loginPage, messagePage, pageHeaders } from "./pages.ts";
import { providerSettings } from "./provider-settings.ts";

const maximumFormBytes = 16 * 1024;

interface IssuerOptions {
  userPool: UserPoolDefinition;
  /** The issuer's address, which is also its name in the tokens. */
  url: string;
  /** The application's address, for users who open a page of the login directly. */
  baseUrl: string;
  dataDirectory: string;
  /** Users in addition to those of the pool, for this run only. */
  additionalAccounts: Account[];
  /** Stores sessions and logins in progress. */
  adapter: (model: string) => Adapter;
  log: (text: string) => void;
}

/** The local stand-in for the user pool's login: an OpenID Connect issuer with a login page. */
export interface Issuer {
  listener: RequestListener;
  /** Finds the key that signed a token of this issuer. */
  keys: JWTVerifyGetKey;
  logins: Login[];
}

/** Makes the issuer of the user pool, with the users, passwords and signing key of the data folder. */
export const createIssuer = async (options: IssuerOptions): Promise<Issuer> => {
  const { userPool, url, baseUrl, dataDirectory, additionalAccounts, adapter, log } = options;
  const usernames = usersOf(userPool).map(({ username }) => username);
  const file = await openLoginFile(dataDirectory, usernames);
  const accounts = createAccounts(userPool, { file, additional: additionalAccounts });
  const { clients } = userPool;
  const renderMessage = (title: string, text: string) => messagePage(title, text, `${baseUrl}/`);

  const provider = new Provider(url, providerSettings({ adapter, clients, accounts, file, url, renderMessage }));
  provider.on("server_error", (ctx, error) => log(`Login: ${ctx.method} ${ctx.path}: ${error.stack ?? error.message}`));
  provider.onerror = (error) => log(`Login: ${messageOf(error)}`);
  const serveProtocol = provider.callback();
  const origins = new Set(
    clients.flatMap(({ callbackUrls, logoutUrls }) => [...callbackUrls, ...logoutUrls].map((it) => new URL(it).origin)),
  );
  const headers = pageHeaders([...origins]);

  /** The login that both the cookie and the address name; undefined if there is none. */
  const interactionOf = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      return await provider.interactionDetails(request, response);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  };

  const serveLogin = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const interaction = await interactionOf(request, response);
    if (interaction === undefined) {
      const text = "It took too long, or the local run was restarted meanwhile. Begin again.";
      return sendPage(response, 400, renderMessage("This login is over", text));
    }
    const { redirect_uri: redirectUri, login_hint: hint } = interaction.params;
    const destination = typeof redirectUri === "string" ? new URL(redirectUri).origin : baseUrl;
    if (request.method !== "POST") {
      return sendPage(response, 200, loginPage({ destination, username: typeof hint === "string" ? hint : "" }));
    }
    const body = await readBody(request, maximumFormBytes);
    const form = new URLSearchParams(body?.toString());
    const username = form.get("username")?.trim() ?? "";
    const account = accounts.signIn(username, form.get("password") ?? "");
    if (account) {
      return provider.interactionFinished(request, response, { login: { accountId: account.sub } });
    }
    const error = "The user name or the password is wrong.";
    sendPage(response, 403, loginPage({ destination, username, error }));
  };

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (hasForeignHost(request.headers)) return void response.writeHead(403).end(`The login is at ${url}.`);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    try {
      const [path = ""] = request.url?.split("?") ?? [];
      if (path.startsWith("/login/")) await serveLogin(request, response);
      else if (path === "/")
        sendPage(response, 404, renderMessage("Login", "Sign in from the application's own pages."));
      else await serveProtocol(request, response);
    } catch (error) {
      log(`Login: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendPage(response, 500, renderMessage("The login failed", "Its log says why."));
    }
  };

  return {
    listener,
    keys: createLocalJWKSet({ keys: [publicPartOf(file.signing_key)] }),
    logins: accounts.all.map(({ username, password, groups }) => ({ username, password, groups })),
  };
};

const publicPartOf = ({ kty, n, e, alg, use, kid }: LoginFile["signing_key"]) => ({ kty, n, e, alg, use, kid });

const sendPage = (response: ServerResponse, statusCode: number, html: string): void => {
  response.writeHead(statusCode, { "content-type": "text/html; charset=utf-8" }).end(html);
};
