import { createPrivateKey, generateKeyPair, type JsonWebKey, randomBytes, randomInt, randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cannotWrite, messageOf } from "../support/local-error.ts";
import { readJsonFile, replaceFile } from "../support/private-files.ts";
import * as z from "../support/zod.ts";

const text = z.string().check(z.minLength(1));

const isUsable = (key: JsonWebKey): boolean => {
  try {
    return createPrivateKey({ key, format: "jwk" }).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
};

// The key that signs tokens. Its private part is among the other members.
const signingKeySchema = z
  .catchall(z.object({ kty: text, alg: z.literal("RS256"), use: z.literal("sig"), kid: text, n: text, e: text }), text)
  .check(z.refine(isUsable, "this key cannot sign"));

const fileSchema = z.strictObject({
  signing_key: signingKeySchema,
  cookie_key: text,
  users: z.record(z.string(), z.strictObject({ sub: z.uuid(), password: text })),
});

/** The login's data that is kept between runs. */
export type LoginFile = z.infer<typeof fileSchema>;

/**
 * Reads the login file in the data folder, creates it at the first start, and adds new users. Because of the file, tokens outlive
 * the run that issued them, and passwords stay the same.
 */
export const openLoginFile = async (dataDirectory: string, usernames: string[]): Promise<LoginFile> => {
  const path = join(dataDirectory, "login.json");
  const found = await readJsonFile(
    path,
    fileSchema,
    (reason) =>
      `The logins in ${path} cannot be read (${reason}): restore a copy of that file, ` +
      "or delete it, and the next start makes new passwords.",
  );
  if (found) await chmod(path, 0o600);
  const file = found ?? (await newFile());
  const missing = usernames.filter((username) => !Object.hasOwn(file.users, username));
  if (missing.length === 0) return file;
  const added = missing.map((username) => [username, { sub: randomUUID(), password: randomPassword() }]);
  const complete = { ...file, users: { ...file.users, ...Object.fromEntries(added) } };
  await replaceFile(path, `${JSON.stringify(complete, undefined, 2)}\n`).catch((error: unknown) => {
    throw cannotWrite(`The logins cannot be written to ${path}`, messageOf(error), error);
  });
  return complete;
};

const newFile = async (): Promise<LoginFile> => {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const description = { alg: "RS256", use: "sig", kid: randomUUID() };
  return {
    signing_key: signingKeySchema.parse({ ...privateKey.export({ format: "jwk" }), ...description }),
    cookie_key: randomBytes(32).toString("base64url"),
    users: {},
  };
};

// Excludes characters that look alike: 0 and o; 1, i and l.
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * Generates a password of about 79 bits that is easy to read out and type.
 *
 * @example randomPassword() // "hx3k-9mwp-t4vq-c7dn"
 */
const randomPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("")).join(
    "-",
  );

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

const nameOfUser = (group: string): string => `${group.toLowerCase()}@example.com`;

/** Returns a pool's users: one for each group, such as `admin@example.com` for `Admin`, or a single user if there are no groups. */
export const readAccounts = async (dataDirectory: string, groups: string[]): Promise<[LoginFile, Account[]]> => {
  const usernames = groups.length === 0 ? ["user@example.com"] : [...new Set(groups.map(nameOfUser))];
  const file = await openLoginFile(dataDirectory, usernames);
  const accounts = usernames.flatMap((username) => {
    const secrets = file.users[username];
    return secrets ? [{ username, groups: groups.filter((group) => nameOfUser(group) === username), ...secrets }] : [];
  });
  return [file, accounts];
};
