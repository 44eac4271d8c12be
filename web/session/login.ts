import { OidcClient, type SigninResponse, WebStorageStateStore } from "oidc-client-ts";
import type { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

/** The login of the user pool: OpenID Connect's code flow with PKCE. */
export interface Login {
  /** Where to send the browser to sign in. It comes back and continues at `returnTo`. */
  address(returnTo: string): Promise<string>;
  /** Completes a sign-in: `callback` is the address that the browser came back to. */
  finish(callback: string): Promise<{ session: Session; returnTo: string }>;
  /** Where to send the browser to sign out of the login as well. */
  logoutAddress(): Promise<string>;
}

export const loginOf = ({ base_url, authority, client_id }: Settings): Login => {
  const home = `${base_url}/`;
  const client = new OidcClient({
    authority,
    client_id,
    redirect_uri: home,
    post_logout_redirect_uri: home,
    scope: "openid email",
    // Keeps the state of a sign-in under way. The default is the local storage.
    stateStore: new WebStorageStateStore({ prefix: "login.", store: sessionStorage }),
  });

  return {
    address: async (returnTo) => (await client.createSigninRequest({ state: returnTo })).url,

    async finish(callback) {
      const answer = await client.processSigninResponse(callback);
      return { session: sessionOf(answer), returnTo: String(answer.userState ?? "/") };
    },

    logoutAddress: async () =>
      // Cognito requires logout_uri; OpenID Connect's post_logout_redirect_uri is added by the client.
      (await client.createSignoutRequest({ client_id, extraQueryParams: { logout_uri: home } })).url,
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
