import { OidcClient, type SigninResponse, WebStorageStateStore } from "oidc-client-ts";
import * as z from "zod/mini";
import type { Session } from "./session.ts";

const settingsSchema = z.object({
  /** The origin of the service, which the login redirects back to. No trailing slash. */
  base_url: z.url(),
  /** The OpenID Connect issuer. */
  authority: z.url(),
  client_id: z.string(),
  /** The paths of the service's pages. */
  pages: z.array(z.string()),
});

/** The settings of the deployment that the interface belongs to. */
export type Settings = z.infer<typeof settingsSchema>;

export const loadSettings = async (): Promise<Settings> => {
  const response = await fetch("/settings.json");
  if (!response.ok) throw new Error(`/settings.json: status ${response.status}.`);
  return z.parse(settingsSchema, await response.json());
};

interface AddressOptions {
  /** Asks for the password even if the login still recognises the user. */
  asksForPassword?: boolean;
}

/** The user pool's login: OpenID Connect's code flow with PKCE. */
export interface Login {
  /** Returns the sign-in address. After the sign-in, the browser continues at `returnTo`. */
  address(returnTo: string, options?: AddressOptions): Promise<string>;
  /** Completes a sign-in. `callback` is the address that the browser came back to. */
  finish(callback: string): Promise<{ session: Session; returnTo: string }>;
  /** Returns the address that also signs the user out of the login. */
  logoutAddress(): Promise<string>;
  /** Returns the login's endpoints. */
  endpoints(): Promise<Endpoints>;
}

/** The login's own description of its endpoints, as defined by OpenID Connect Discovery. */
export const endpointsSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  end_session_endpoint: z.exactOptional(z.string()),
});

export type Endpoints = z.infer<typeof endpointsSchema>;

/** Creates a deployment's login. The login's endpoints are loaded on demand unless they are already known. */
export const loginOf = ({ base_url, authority, client_id }: Settings, metadata?: Endpoints): Login => {
  const home = `${base_url}/`;
  const client = new OidcClient({
    authority,
    client_id,
    redirect_uri: home,
    post_logout_redirect_uri: home,
    scope: "openid email",
    ...(metadata && { metadata }),
    // Keeps the state of a sign-in in progress. The default is local storage.
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
      // Cognito requires logout_uri. The client adds OpenID Connect's post_logout_redirect_uri.
      (await client.createSignoutRequest({ client_id, extraQueryParams: { logout_uri: home } })).url,

    endpoints: async () => z.parse(endpointsSchema, await client.metadataService.getMetadata()),
  };
};

/** Keeps only what is used, without the refresh token and the ID token. */
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
