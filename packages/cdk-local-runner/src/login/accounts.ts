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
}

/** Returns the users: one for each group, such as `admin@example.com` for `Admin`, or a single user if there are no groups. */
export const usersOf = ({ groups }: UserPoolDefinition): Pick<Account, "username" | "groups">[] => {
  if (groups.length === 0) return [{ username: "user@example.com", groups: [] }];
  const names = new Set(groups.map(nameOfUser));
  return [...names].map((username) => ({ username, groups: groups.filter((group) => nameOfUser(group) === username) }));
};

const nameOfUser = (group: string): string => `${group.toLowerCase()}@example.com`;

/** Assigns the users their ids and passwords from the file. `additional` accounts bring their own. */
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
    /** Returns undefined for a wrong password or an unknown user. Both cases take the same time. */
    signIn(username: string, password: string): Account | undefined {
      const account = all.find((one) => nameOf(one.username) === nameOf(username));
      return timingSafeEqual(digest(password), digest(account?.password ?? "")) ? account : undefined;
    },
  };
};

// The comparison requires values of equal length.
const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** Returns an access token's claims about its user, with Cognito's names. */
export const accessTokenClaims = ({ sub, username, groups }: Account) => ({
  sub,
  username,
  ...groupsClaim(groups),
  token_use: "access",
});

/** Returns an ID token's claims about its user, with Cognito's names. */
export const idTokenClaims = ({ sub, username, groups }: Account, scopes: string[]) => ({
  sub,
  "cognito:username": username,
  ...groupsClaim(groups),
  token_use: "id",
  ...(scopes.includes("email") && { email: username, email_verified: true }),
});

// Without groups, there is no claim.
const groupsClaim = (groups: string[]) => (groups.length > 0 ? { "cognito:groups": groups } : {});
