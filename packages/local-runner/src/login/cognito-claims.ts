import type { Account } from "./accounts.ts";

/** What an ID token says about its user, by Cognito's names. */
export const idTokenClaims = ({ sub, username, email, groups }: Account) => ({
  sub,
  "cognito:username": username,
  ...groupsClaim(groups),
  token_use: "id",
  email,
  email_verified: true,
});

/** What an access token says in addition to the standard claims, by Cognito's names. */
export const accessTokenClaims = ({ username, groups }: Account) => ({
  username,
  ...groupsClaim(groups),
  token_use: "access",
});

/** The claims that each scope adds to the ID token. */
export const claimsOfScopes = {
  openid: ["sub", "cognito:username", "cognito:groups", "token_use"],
  email: ["email", "email_verified"],
};

// Without groups the claim is missing.
const groupsClaim = (groups: string[]) => (groups.length > 0 ? { "cognito:groups": [...groups] } : {});
