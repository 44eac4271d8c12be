import type { Account } from "./accounts.ts";

/** What an ID token says of its user, by Cognito's names. */
export const idTokenClaims = ({ sub, username, email, groups }: Account) => ({
  sub,
  "cognito:username": username,
  ...groupsClaim(groups),
  token_use: "id",
  email,
  email_verified: true,
});

/** What an access token says beyond the standard claims, by Cognito's names. */
export const accessTokenClaims = ({ username, groups }: Account) => ({
  username,
  ...groupsClaim(groups),
  token_use: "access",
});

/** The claims that each scope brings into the ID token. */
export const claimsOfScopes = {
  openid: ["sub", "cognito:username", "cognito:groups", "token_use"],
  email: ["email", "email_verified"],
};

// A user of no group has no such claim at all.
const groupsClaim = (groups: readonly string[]) => (groups.length > 0 ? { "cognito:groups": [...groups] } : {});
