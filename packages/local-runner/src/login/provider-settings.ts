import type { Adapter, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { interactionPolicy } from "oidc-provider";
import type { LoginClient } from "../assembly/user-pool.ts";
import type { Accounts } from "./accounts.ts";
import { accessTokenClaims, claimsOfScopes, idTokenClaims } from "./accounts.ts";
import type { LoginFile } from "./login-file.ts";

interface ProviderParts {
  adapter: (model: string) => Adapter;
  clients: LoginClient[];
  accounts: Accounts;
  file: LoginFile;
  /** The issuer's address. */
  url: string;
  /** Renders a page with a message and no form. */
  renderMessage: (title: string, text: string) => string;
}

const hourSeconds = 3600;

// A client that asks for one of these without permission is refused. Unknown scopes are ignored.
const cognitoScopes = ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin"];

/** Settings that give oidc-provider the addresses, claims and lifetimes of Cognito's managed login. */
export const providerSettings = ({
  adapter,
  clients,
  accounts,
  file,
  url,
  renderMessage,
}: ProviderParts): Configuration => {
  const clientOf = (id: string | undefined) => clients.find((client) => client.id === id);
  const mayRevoke = clients.some((client) => client.mayRevoke);
  const show = (ctx: KoaContextWithOIDC, title: string, text: string) => {
    ctx.type = "html";
    ctx.body = renderMessage(title, text);
  };
  return {
    adapter,
    clients: clients.map((client) => ({
      client_id: client.id,
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      redirect_uris: [...client.callbackUrls],
      post_logout_redirect_uris: [...client.logoutUrls],
      scope: client.scopes.join(" "),
    })),
    jwks: { keys: [file.signing_key] },
    // Browsers keep cookies by host, not by port. With the port in the name, local runs do not share their cookies.
    cookies: { keys: [file.cookie_key], names: cookieNames(new URL(url).port) },
    routes: {
      authorization: "/oauth2/authorize",
      token: "/oauth2/token",
      revocation: "/oauth2/revoke",
      jwks: "/.well-known/jwks.json",
      end_session: "/logout",
    },
    clientAuthMethods: ["none"],
    responseTypes: ["code"],
    scopes: [...new Set([...cognitoScopes, ...clients.flatMap(({ scopes }) => scopes)])],
    pkce: { required: () => true },
    clientBasedCORS: (_, origin, client) =>
      (client.redirectUris ?? []).some((redirectUri) => new URL(redirectUri).origin === origin),

    claims: claimsOfScopes,
    // As with Cognito, the ID token itself has the claims that the scopes allow.
    conformIdTokenClaims: false,
    findAccount(_, sub) {
      const account = accounts.bySub(sub);
      return account && { accountId: sub, claims: () => idTokenClaims(account) };
    },
    extraTokenClaims(_, token) {
      const account = "accountId" in token ? accounts.bySub(token.accountId) : undefined;
      return account && accessTokenClaims(account);
    },

    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: mayRevoke, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: signOut,
        postLogoutSuccessSource: (ctx) => show(ctx, "Signed out", "You are signed out. You can close this page."),
      },
      // Only access tokens for a resource are JWTs. The one resource is what the client's own audience protects.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        getResourceServerInfo: (_, __, client) => ({
          audience: client.clientId,
          scope: clientOf(client.clientId)?.scopes.join(" ") ?? "",
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
    interactions: { url: (_, interaction) => `/login/${interaction.uid}`, policy: loginAlone() },
    loadExistingGrant: grantAll(clientOf, url),
    ttl: {
      AccessToken: (_, __, client) => clientOf(client.clientId)?.accessTokenSeconds ?? hourSeconds,
      AuthorizationCode: 300,
      Grant: 24 * hourSeconds,
      IdToken: (_, __, client) => clientOf(client.clientId)?.idTokenSeconds ?? hourSeconds,
      Interaction: hourSeconds,
      Session: hourSeconds,
    },
    renderError: (ctx, { error, error_description }) =>
      show(ctx, "This login cannot go on", `${error_description ?? error}.`),
  };
};

const cookieNames = (port: string) => ({
  session: `login_${port}_session`,
  interaction: `login_${port}_interaction`,
  resume: `login_${port}_resume`,
});

// The clients belong to the application, so users are not asked to consent.
const loginAlone = () => {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
};

const grantAll =
  (clientOf: (id: string) => LoginClient | undefined, resource: string) =>
  async ({ oidc }: KoaContextWithOIDC) => {
    const { provider, client, session } = oidc;
    if (client === undefined || session?.accountId === undefined) return undefined;
    const { Grant } = provider;
    const grantId = session.grantIdFor(client.clientId);
    const known = grantId === undefined ? undefined : await Grant.find(grantId);
    if (known) return known;
    const grant = new Grant({ clientId: client.clientId, accountId: session.accountId });
    const scope = clientOf(client.clientId)?.scopes.join(" ") ?? "";
    grant.addOIDCScope(scope);
    grant.addResourceScope(resource, scope);
    await grant.save();
    return grant;
  };

/**
 * Ends the session and returns to the application without the confirmation that oidc-provider would ask for. Cognito does
 * not ask either: a forged link can only make somebody sign in again, and it leads to a registered address.
 */
export const signOut = async (ctx: KoaContextWithOIDC): Promise<void> => {
  const { session, params, provider } = ctx.oidc;
  await session?.destroy();
  ctx.cookies.set(provider.cookieName("session"), null);
  // oidc-provider has checked already that the client has registered this address.
  const { post_logout_redirect_uri: target, state } = params ?? {};
  if (typeof target !== "string") return ctx.redirect("/logout/success");
  const back = new URL(target);
  if (typeof state === "string") back.searchParams.set("state", state);
  ctx.redirect(back.href);
};
