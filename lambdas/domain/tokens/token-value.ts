import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { newUlid, ulidFrom } from "../../shared/ulid.ts";

/** The prefix of each kind of credential. */
const prefixes = { token: "itk", invitation: "iti" } as const;

/** A token, or an invitation that its recipient exchanges for a token. */
export type TokenValueKind = keyof typeof prefixes;

const secretBytes = 32;
const secretCharacters = 43;
const checksumCharacters = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const id = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const idShape = new RegExp(`^${id}$`);
const shape = new RegExp(
  `^(${Object.values(prefixes).join("|")})_(${id})_([0-9A-Za-z]{${secretCharacters}})([0-9A-Za-z]{${checksumCharacters}})$`,
);

/** The parts of a token or an invitation: the public id of its record, and the secret that proves possession. */
export interface TokenParts {
  token_id: string;
  secret: string;
}

/** Checks whether a string is a token id: a ULID. */
export const isTokenId = (text: string): boolean => idShape.test(text);

/** Generates a new id (ULID) and a new secret: 32 random bytes, in base62. */
export const generateTokenValue = (): TokenParts => ({
  token_id: newUlid(),
  secret: secretText(randomBytes(secretBytes)),
});

/** Derives an id (ULID) from a string. The id consists of a time (Unix, in ms) and 80 bits of the string's SHA-256. */
export const idFrom = (text: string, time: number): string => ulidFrom(time, digest(text).subarray(0, 10));

/** Encodes 32 bytes as a secret in base62. */
export const secretText = (bytes: Buffer): string => base62(BigInt(`0x${bytes.toString("hex")}`), secretCharacters);

/**
 * Formats the value of a token (`itk_<id>_<secret><checksum>`) or an invitation (`iti_…`). It is shown once and sent in `X-Token`.
 */
export const formatTokenValue = ({ token_id, secret }: TokenParts, kind: TokenValueKind = "token"): string => {
  const unchecked = `${prefixes[kind]}_${token_id}_${secret}`;
  return unchecked + checksum(unchecked);
};

/** Parses the value of a token or an invitation. Returns `undefined` if its form or checksum is wrong, without needing a lookup. */
export const parseTokenValue = (text: string): (TokenParts & { kind: TokenValueKind }) | undefined => {
  const [, prefix, token_id, secret, check] = shape.exec(text) ?? [];
  if (token_id === undefined || secret === undefined) return undefined;
  const kind = prefix === prefixes.token ? "token" : "invitation";
  return checksum(text.slice(0, -checksumCharacters)) === check ? { kind, token_id, secret } : undefined;
};

/**
 * Returns the CRC-32 (ISO 3309, as in gzip) of the preceding characters, in base62. The checksum catches typing errors but proves
 * nothing.
 */
const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumCharacters);

const base62 = (value: bigint, characters: number): string => {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(characters, "0");
};

/** Generates a random value that a record holds until its token is first used: 16 bytes, base64url. */
export const newNonce = (): string => randomBytes(16).toString("base64url");

/** Checks whether a string could be a value from `newNonce`. */
export const isNonce = (text: string): boolean => /^[\w-]{21}[AQgw]$/.test(text);

/**
 * Derives the secret of a new token: an HMAC-SHA256, keyed by the secret that the client sent.
 *
 * A client whose response was lost sends the same secret again and gets the same token value, although nothing is stored in plain
 * text. The record alone reveals nothing, and neither does the old secret once the nonce has been removed.
 */
export const deriveSecret = (sent: string, { token_id, nonce }: { token_id: string; nonce: string }): TokenParts => ({
  token_id,
  secret: secretText(createHmac("sha256", sent).update(`${token_id} ${nonce}`).digest()),
});

/** Returns the SHA-256 of a secret, base64url. Secrets of 32 random bytes need neither a salt nor a slow hash. */
export const hashSecret = (secret: string): string => digest(secret).toString("base64url");

/** Checks whether a string is a hash as `hashSecret` returns it. */
export const isHash = (text: string): boolean => /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text);

/**
 * Compares a secret with a stored hash in constant time. Without a hash (for an unknown id), it does the same work and returns
 * false, so that an unknown id looks the same as a wrong secret.
 */
export const matchesHash = (secret: string, hash: string | undefined): boolean => {
  const actual = digest(secret);
  const expected = Buffer.alloc(actual.length);
  const written = expected.write(hash ?? "", "base64url");
  const equal = timingSafeEqual(actual, expected);
  return equal && written === actual.length;
};

const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();
