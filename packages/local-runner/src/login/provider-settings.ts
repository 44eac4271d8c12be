import type { Adapter, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { interactionPolicy } from "oidc-provider";
import type { LoginClient } from "../assembly/user-pool-clients.ts";
import type { Accounts } from "./accounts.ts";
import { accessTokenClaims, claimsOfScopes, idTokenClaims } from "./cognito-claims.ts";
import type { LoginFile } from "./login-file.ts";
import { signOut } from "./sign-out.ts";

export interface ProviderParts {
  adapter: (model: string) => Adapter;
  readonly clients: readonly LoginClient[];
  readonly accounts: Accounts;
  readonly file: LoginFile;
  /** Where the issuer answers. */
  readonly url: string;
  /** Renders a page that has something to say and nothing to ask. */
  readonly renderMessage: (title: string, text: string) => string;
}

const hourSeconds = 3600;

// Known, so that a client is refused those of them that it may not ask for. Others are passed over in silence.
const cognitoScopes = ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin"];

/** Settings that make oidc-provider a stand-in for Cognito's managed login: its addresses, its claims, its lifetimes. */
export function providerSettings({
  adapter,
  clients,
  accounts,
  file,
  url,
  renderMessage,
}: ProviderParts): Configuration {
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
    // Browsers keep cookies by host alone, so that several local runs share theirs unless the port tells them apart.
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
    // What the scopes allow stands in the ID token itself, as Cognito has it.
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
      // An access token for a resource is a JWT. There is one resource: what the client's own audience protects.
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
}

const cookieNames = (port: string) => ({
  session: `login_${port}_session`,
  interaction: `login_${port}_interaction`,
  resume: `login_${port}_resume`,
});

// The clients are the application's own: there is nobody to ask whether they may know who signs in.
function loginAlone() {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

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
