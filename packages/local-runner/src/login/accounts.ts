import { hash, timingSafeEqual } from "node:crypto";
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

/** The users: one for each group, such as `admin@example.com` for `Admin`, and those of the template, or one if there are none. */
export const usersOf = ({ groups, users }: UserPoolDefinition): Pick<Account, "username" | "email" | "groups">[] => {
  const merged = new Map(users.map((user) => [user.username, user]));
  for (const group of groups) {
    const username = `${group.toLowerCase()}@example.com`;
    const known = merged.get(username) ?? { username, email: username, groups: [] };
    merged.set(username, { ...known, groups: [...new Set([...known.groups, group])] });
  }
  const username = "user@example.com";
  return merged.size > 0 ? [...merged.values()] : [{ username, email: username, groups: [] }];
};

/** Gives the users their ids and passwords from the file. `additional` accounts have their own. */
export const createAccounts = (
  pool: UserPoolDefinition,
  { file, additional }: { file: LoginFile; additional: Account[] },
) => {
  const kept = usersOf(pool).flatMap((user) => {
    const secrets = file.users[user.username];
    return secrets ? [{ ...user, ...secrets }] : [];
  });
  const all: Account[] = [...kept, ...additional];
  const nameOf = (username: string) => (pool.isCaseSensitive ? username : username.toLowerCase());
  return {
    all,
    bySub: (sub: string) => all.find((account) => account.sub === sub),
    /** Undefined for a wrong password or an unknown user. Both cases take the same time. */
    signIn(username: string, password: string): Account | undefined {
      const account = all.find((one) => nameOf(one.username) === nameOf(username));
      return timingSafeEqual(digest(password), digest(account?.password ?? "")) ? account : undefined;
    },
  };
};

// The comparison needs values of the same length.
const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** What an access token says about its user, by Cognito's names. */
export const accessTokenClaims = ({ sub, username, groups }: Account) => ({
  sub,
  username,
  ...groupsClaim(groups),
  token_use: "access",
});

/** What an ID token says about its user, by Cognito's names. */
export const idTokenClaims = ({ sub, username, email, groups }: Account, scopes: string[]) => ({
  sub,
  "cognito:username": username,
  ...groupsClaim(groups),
  token_use: "id",
  ...(scopes.includes("email") && { email, email_verified: true }),
});

// Without groups the claim is missing.
const groupsClaim = (groups: string[]) => (groups.length > 0 ? { "cognito:groups": groups } : {});
