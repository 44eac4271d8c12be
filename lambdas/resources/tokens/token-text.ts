import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import { crc32 } from "../../crc32.ts";

/** The first characters of each kind of text. */
const prefixes = { token: "itk", invitation: "iti" } as const;

/** A token, or an invitation that its recipient exchanges for one. */
export type TextKind = keyof typeof prefixes;

const secretBytes = 32;
const secretCharacters = 43;
const checksumCharacters = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const id = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const idShape = new RegExp(`^${id}$`);
const shape = new RegExp(
  `^(${Object.values(prefixes).join("|")})_(${id})_([0-9A-Za-z]{${secretCharacters}})([0-9A-Za-z]{${checksumCharacters}})$`,
);

/** The parts of a text: the public id of its record, and the secret that proves its possession. */
export interface TokenText {
  token_id: string;
  secret: string;
}

/** Whether a text is the id of a token: a ULID. */
export const isTokenId = (text: string): boolean => idShape.test(text);

/** A new id (ULID) and a new secret: 32 random bytes, in base62. */
export const generateTokenText = (): TokenText => ({
  token_id: newTokenId(),
  secret: secretText(randomBytes(secretBytes)),
});

/** A new id: a ULID. */
export const newTokenId = (): string => ulid();

/** 32 bytes as the secret of a text: base62. */
export const secretText = (bytes: Buffer): string => base62(BigInt(`0x${bytes.toString("hex")}`), secretCharacters);

/** `itk_<id>_<secret><checksum>` (`iti_…` for an invitation): the text that is shown once and sent in `X-Token`. */
export const formatTokenText = ({ token_id, secret }: TokenText, kind: TextKind = "token"): string => {
  const unchecked = `${prefixes[kind]}_${token_id}_${secret}`;
  return unchecked + checksum(unchecked);
};

/** Reads a text; `undefined` if its shape or its checksum is wrong, which needs no look-up to find out. */
export const parseTokenText = (text: string): (TokenText & { kind: TextKind }) | undefined => {
  const [, prefix, token_id, secret, check] = shape.exec(text) ?? [];
  if (token_id === undefined || secret === undefined) return undefined;
  const kind = prefix === prefixes.token ? "token" : "invitation";
  return checksum(text.slice(0, -checksumCharacters)) === check ? { kind, token_id, secret } : undefined;
};

/** CRC-32 (ISO 3309, as in gzip) of the preceding text, in base62. It catches typing errors and proves nothing. */
const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumCharacters);

const base62 = (value: bigint, characters: number): string => {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(characters, "0");
};
