import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import { crc32 } from "../../crc32.ts";

const prefix = "itk";
const secretBytes = 32;
const secretCharacters = 43;
const checksumCharacters = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const id = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const idShape = new RegExp(`^${id}$`);
const shape = new RegExp(`^${prefix}_(${id})_([0-9A-Za-z]{${secretCharacters}})([0-9A-Za-z]{${checksumCharacters}})$`);

/** The parts of a token's text: the public id of its record, and the secret that proves its possession. */
export interface TokenText {
  token_id: string;
  secret: string;
}

/** Whether a text is the id of a token: a ULID. */
export const isTokenId = (text: string): boolean => idShape.test(text);

/** A new id (ULID) and a new secret: 32 random bytes, in base62. */
export const generateTokenText = (): TokenText => ({
  token_id: ulid(),
  secret: base62(BigInt(`0x${randomBytes(secretBytes).toString("hex")}`), secretCharacters),
});

/** `itk_<id>_<secret><checksum>`: the text that is shown once and sent in `X-Token`. */
export const formatTokenText = ({ token_id, secret }: TokenText): string => {
  const unchecked = `${prefix}_${token_id}_${secret}`;
  return unchecked + checksum(unchecked);
};

/** Reads a token's text; `undefined` if its shape or its checksum is wrong, which needs no look-up to find out. */
export const parseTokenText = (text: string): TokenText | undefined => {
  const [, token_id, secret, check] = shape.exec(text) ?? [];
  if (token_id === undefined || secret === undefined) return undefined;
  return checksum(text.slice(0, -checksumCharacters)) === check ? { token_id, secret } : undefined;
};

/** CRC-32 (ISO 3309, as in gzip) of the preceding text, in base62. It catches typing errors and proves nothing. */
const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumCharacters);

const base62 = (value: bigint, characters: number): string => {
  let text = "";
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(characters, "0");
};
