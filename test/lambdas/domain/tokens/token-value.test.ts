import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  deriveSecret,
  formatTokenValue,
  generateTokenValue,
  hashSecret,
  isHash,
  isNonce,
  isTokenId,
  matchesHash,
  newNonce,
  parseTokenValue,
  secretText,
} from "../../../../lambdas/domain/tokens/token-value.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const oneOf = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const parts = fc.record({
  token_id: fc.tuple(oneOf("01234567", 1), oneOf(crockford, 25)).map((halves) => halves.join("")),
  secret: oneOf(base62, 43),
});
const kinds = fc.constantFrom("token", "invitation");

const numberIn = (text: string): bigint =>
  [...text].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);

test("a token's value contains its id and secret, and ends with the CRC-32 of everything before", () => {
  fc.assert(
    fc.property(parts, kinds, (token, kind) => {
      const text = formatTokenValue(token, kind);
      expect(parseTokenValue(text)).toEqual({ ...token, kind });
      expect(text).toHaveLength(80);
      expect(numberIn(text.slice(-6))).toBe(BigInt(crc32(text.slice(0, -6))));
    }),
  );
});

test("the format of a token's value never changes, so tokens in use stay readable", () => {
  const text = formatTokenValue({ token_id: id, secret: "0".repeat(43) });
  expect(text).toBe("itk_01ARZ3NDEKTSV4RRFFQ69G5FAV_000000000000000000000000000000000000000000011yppW");
});

test("the documented rules for secret scanners match exactly the values of tokens and invitations", async () => {
  const guide = await readFile(new URL("../../../../docs/guide/leak.md", import.meta.url), "utf8");
  const rules = [...guide.matchAll(/^(?:regex =| +text:) '+(.*?)'+$/gm)].map(([, rule = ""]) => new RegExp(rule));
  expect(rules).toHaveLength(2);
  fc.assert(
    fc.property(parts, kinds, fc.constantFrom(...rules), (token, kind, rule) => {
      const text = formatTokenValue(token, kind);
      for (const found of [text, `%3D${text}&`, `\\n${text}_`]) expect(rule.exec(found)?.[1]).toBe(text);
      for (const other of [text.slice(0, -1), `${text}0`, text.replace("t", "T"), text.replace("_", "_U")])
        expect(other).not.toMatch(rule);
    }),
  );
});

test("an invitation's value starts differently from a token's, and never turns into one", () => {
  const token = generateTokenValue();
  const text = formatTokenValue(token, "invitation");
  expect(text).toMatch(new RegExp(`^iti_${token.token_id}_${token.secret}`));
  expect(parseTokenValue(text.replace("iti", "itk"))).toBeUndefined();
});

const text = formatTokenValue(generateTokenValue());
const places = Array.from(text, (_, place) => place);
const others = [...`${base62}_- .,`];
const replaced = (place: number, length: number, by: string) => text.slice(0, place) + by + text.slice(place + length);

test.for<[string, string[]]>([
  ["any character changed", places.flatMap((place) => others.map((by) => replaced(place, 1, by)))],
  ["two neighbours swapped", places.slice(1).map((at) => replaced(at - 1, 2, `${text[at]}${text[at - 1]}`))],
  ["its end or its beginning missing", places.flatMap((length) => [text.slice(0, length), text.slice(-length)])],
  ["anything added", [...others, "\n", "\0", "é"].flatMap((added) => [text + added, added + text])],
])("rejects a token's value with %s", ([, changed]) => {
  for (const each of changed) if (each !== text) expect(parseTokenValue(each), each).toBeUndefined();
});

const tokens = Array.from({ length: 2_000 }, generateTokenValue);

test("a new token has the specified alphabets and lengths, and a unique id and secret", () => {
  for (const token of tokens) {
    expect(formatTokenValue(token)).toMatch(/^itk_[0-7][0-9A-HJKMNP-TV-Z]{25}_[0-9A-Za-z]{49}$/);
    expect(parseTokenValue(formatTokenValue(token))).toBeDefined();
  }
  expect(new Set(tokens.map(({ token_id }) => token_id)).size).toBe(tokens.length);
  expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(tokens.length);
});

test("the id of a new token contains its creation time, and is recognised by its format", () => {
  const from = Date.now();
  const { token_id } = generateTokenValue();
  const made = [...token_id.slice(0, 10)].reduce((time, digit) => time * 32 + crockford.indexOf(digit), 0);
  expect(made).toBeGreaterThanOrEqual(from);
  expect(made).toBeLessThanOrEqual(Date.now());
  expect(isTokenId(token_id)).toBe(true);
  for (const other of ["", `${token_id}0`, `0${token_id}`, token_id.toLowerCase()])
    expect(isTokenId(other)).toBe(false);
});

test("the secret of a new token uses all bits of its 32 bytes", () => {
  const secrets = tokens.slice(0, 500).map(({ secret }) => numberIn(secret));
  expect(secrets.every((secret) => secret < 1n << 256n)).toBe(true);
  for (let bit = 0n; bit < 256n; bit += 1n) {
    const ones = secrets.filter((secret) => (secret >> bit) & 1n).length;
    // In 500 fair coin flips, fewer than 150 or more than 350 heads are practically impossible (9 standard deviations).
    expect(Math.abs(ones - 250)).toBeLessThan(100);
  }
});

const hash = hashSecret("abc");

test("the hash of a secret is SHA-256, and is recognised by its format", () => {
  const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(hash).toBe(Buffer.from(sha256, "hex").toString("base64url"));
  expect([hash, `A${hash}`, `${hash}A`, hash.slice(1), ""].map(isHash)).toEqual([true, false, false, false, false]);
});

test("a hash matches only its secret, and a missing hash matches nothing", () => {
  const secret = fc.string({ unit: "grapheme-ascii", maxLength: 60 });
  fc.assert(
    fc.property(secret, fc.oneof(secret, fc.constant(undefined)), (stored, sent = stored) => {
      expect(matchesHash(sent, hashSecret(stored))).toBe(sent === stored);
      expect(matchesHash(sent, undefined)).toBe(false);
    }),
  );
});

test("a hash that is damaged or uses another hash function matches nothing", () => {
  const sha512 = createHash("sha512-256").update("abc").digest("base64url");
  for (const other of ["", hash.slice(0, -2), `!${hash.slice(1)}`, "A".repeat(43), sha512])
    expect(matchesHash("abc", other), other).toBe(false);
});

test("a derived secret is an HMAC of the token's id and the nonce, keyed with the value that was sent", () => {
  const mac = createHmac("sha256", "sent").update(`${id} nonce`).digest();
  expect(deriveSecret("sent", { token_id: id, nonce: "nonce" })).toEqual({ token_id: id, secret: secretText(mac) });
});

test("a nonce is random, has 16 bytes in base64url, and is recognised by its format", () => {
  const nonces = Array.from({ length: 100 }, newNonce);
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces) {
    expect(Buffer.from(nonce, "base64url")).toHaveLength(16);
    expect([nonce, `${nonce}A`, `A${nonce}`, nonce.slice(1)].map(isNonce)).toEqual([true, false, false, false]);
  }
});
