import { randomBytes } from "node:crypto";

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Generates a ULID: the time, then 80 random bits. ULIDs sort by their time. */
export const newUlid = (): string => ulidFrom(Date.now(), randomBytes(10));

/** Encodes a time (Unix, in ms) and 80 bits as a ULID. */
export const ulidFrom = (time: number, bits: Buffer): string =>
  base32(time, 10) + base32(BigInt(`0x${bits.toString("hex")}`), 16);

const base32 = (value: number | bigint, characters: number): string =>
  [...value.toString(32).padStart(characters, "0")].map((digit) => digits.charAt(Number.parseInt(digit, 32))).join("");
