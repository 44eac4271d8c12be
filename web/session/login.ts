import { OidcClient, type SigninResponse, WebStorageStateStore } from "oidc-client-ts";
import * as z from "zod/mini";
import type { Session } from "./session.ts";

export const settingsSchema = z.object({
  /** The origin of the service, where the login sends the browser back to. No slash at the end. */
  base_url: z.url(),
  /** The OpenID Connect issuer. */
  authority: z.url(),
  client_id: z.string(),
  /** The paths of the pages that this service has. */
  pages: z.array(z.string()),
});

/** What the interface has to know about the deployment that it belongs to. */
export type Settings = z.infer<typeof settingsSchema>;

export const loadSettings = async (): Promise<Settings> => {
  const response = await fetch("/settings.json");
  if (!response.ok) throw new Error(`/settings.json: status ${response.status}.`);
  return z.parse(settingsSchema, await response.json());
};

interface AddressOptions {
  /** Asks for the password even if the login still knows the user. */
  asksForPassword?: boolean;
}

/** The login of the user pool: OpenID Connect's code flow with PKCE. */
export interface Login {
  /** Where to send the browser to sign in. It comes back and continues at `returnTo`. */
  address(returnTo: string, options?: AddressOptions): Promise<string>;
  /** Completes a sign-in: `callback` is the address that the browser came back to. */
  finish(callback: string): Promise<{ session: Session; returnTo: string }>;
  /** Where to send the browser to sign out of the login as well. */
  logoutAddress(): Promise<string>;
  /** The addresses of the login. */
  endpoints(): Promise<Endpoints>;
}

/** The login's own description of its addresses, as OpenID Connect Discovery names them. */
export const endpointsSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  end_session_endpoint: z.exactOptional(z.string()),
});

type Endpoints = z.infer<typeof endpointsSchema>;

/** The login of a deployment. Its endpoints are loaded from it when they are needed, unless they are known already. */
export const loginOf = ({ base_url, authority, client_id }: Settings, metadata?: Endpoints): Login => {
  const home = `${base_url}/`;
  const client = new OidcClient({
    authority,
    client_id,
    redirect_uri: home,
    post_logout_redirect_uri: home,
    scope: "openid email",
    ...(metadata && { metadata }),
    // Keeps the state of a sign-in under way. The default is the local storage.
    stateStore: new WebStorageStateStore({ prefix: "login.", store: sessionStorage }),
  });

  return {
    address: async (returnTo, { asksForPassword = false } = {}) =>
      (await client.createSigninRequest({ state: returnTo, ...(asksForPassword && { prompt: "login" }) })).url,

    async finish(callback) {
      const response = await client.processSigninResponse(callback);
      return { session: sessionOf(response), returnTo: String(response.userState ?? "/") };
    },

    logoutAddress: async () =>
      // Cognito requires logout_uri; OpenID Connect's post_logout_redirect_uri is added by the client.
      (await client.createSignoutRequest({ client_id, extraQueryParams: { logout_uri: home } })).url,

    endpoints: async () => z.parse(endpointsSchema, await client.metadataService.getMetadata()),
  };
};

/** Keeps only what is used: no refresh token, no ID token. */
const sessionOf = ({ access_token, expires_in = 0, profile }: SigninResponse): Session => {
  const groups: unknown = profile["cognito:groups"];
  return {
    accessToken: access_token,
    username: String(profile["cognito:username"] ?? profile.email ?? profile.sub),
    groups: Array.isArray(groups) ? groups.map(String) : [],
    startedAt: Date.now(),
    expiresAt: Date.now() + expires_in * 1000,
  };
};
