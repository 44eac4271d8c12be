import { OidcClient, type SigninResponse, WebStorageStateStore } from "oidc-client-ts";
import type { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

/** The user pool's login, spoken to by OpenID Connect's code flow with PKCE. */
export interface Login {
  /** Where to send the browser, so that it comes back signed in and goes on at `returnTo`. */
  address(returnTo: string): Promise<string>;
  /** Ends what began there: `callback` is the address that the browser came back with. */
  finish(callback: string): Promise<{ session: Session; returnTo: string }>;
  /** Where to send the browser, so that the login forgets the user too. */
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
    // What must be remembered between the two halves of a login; its own default is the local storage.
    stateStore: new WebStorageStateStore({ prefix: "login.", store: sessionStorage }),
  });

  return {
    address: async (returnTo) => (await client.createSigninRequest({ state: returnTo })).url,

    async finish(callback) {
      const answer = await client.processSigninResponse(callback);
      return { session: sessionOf(answer), returnTo: String(answer.userState ?? "/") };
    },

    logoutAddress: async () =>
      // Cognito asks for logout_uri, OpenID Connect for post_logout_redirect_uri, which the client adds.
      (await client.createSignoutRequest({ client_id, extraQueryParams: { logout_uri: home } })).url,
  };
};

/** Only what is used is kept: no refresh token, no ID token. */
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
