import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { UserPoolDefinition } from "../assembly/user-pool.ts";
import type { LoginFile } from "./login-file.ts";

/** A user who can sign in. */
export interface Login {
  username: string;
  password: string;
  groups: string[];
}

export interface Account extends Login {
  /** The user's id, which stays the same if the name changes. */
  sub: string;
  email: string;
}

export interface Accounts {
  all: Account[];
  bySub: (sub: string) => Account | undefined;
  /** Undefined for a wrong password or an unknown user. Both cases take the same time. */
  signIn: (username: string, password: string) => Account | undefined;
}

/** The users: one for each group, such as `admin@example.com` for `Admin`, and those of the template. */
export const usersOf = ({ groups, users }: UserPoolDefinition): Pick<Account, "username" | "email" | "groups">[] => {
  const merged = new Map(users.map((user) => [user.username, user]));
  for (const group of groups) {
    const username = `${group.toLowerCase()}@example.com`;
    const known = merged.get(username) ?? { username, email: username, groups: [] };
    merged.set(username, { ...known, groups: [...new Set([...known.groups, group])] });
  }
  return [...merged.values()];
};

/** Makes the account of a user who brings a password and is not in the login file. */
export const additionalAccount = (login: Login): Account => ({ ...login, email: login.username, sub: randomUUID() });

/** Gives the users their ids and passwords from the file. `additional` accounts have their own. */
export const createAccounts = (
  pool: UserPoolDefinition,
  { file, additional }: { file: LoginFile; additional: Account[] },
): Accounts => {
  const kept = usersOf(pool).flatMap((user) => {
    const secrets = file.users[user.username];
    return secrets ? [{ ...user, ...secrets }] : [];
  });
  const all = [...kept, ...additional];
  const nameOf = (username: string) => (pool.isCaseSensitive ? username : username.toLowerCase());
  const byName = new Map(all.map((account) => [nameOf(account.username), account]));
  const bySub = new Map(all.map((account) => [account.sub, account]));
  return {
    all,
    bySub: (sub) => bySub.get(sub),
    signIn(username, password) {
      const account = byName.get(nameOf(username));
      return timingSafeEqual(digest(password), digest(account?.password ?? "")) ? account : undefined;
    },
  };
};

// The comparison needs values of the same length.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

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
