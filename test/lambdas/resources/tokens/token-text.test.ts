import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatTokenText,
  generateTokenText,
  isTokenId,
  parseTokenText,
} from "../../../../lambdas/resources/tokens/token-text.ts";
import { anyText } from "../../../support/any-text.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const characters = `${base62}_- .,`;

const parts = fc.record({
  token_id: fc
    .tuple(
      fc.constantFrom(..."01234567"),
      fc.string({ unit: fc.constantFrom(...crockford), minLength: 25, maxLength: 25 }),
    )
    .map((halves) => halves.join("")),
  secret: fc.string({ unit: fc.constantFrom(...base62), minLength: 43, maxLength: 43 }),
});

/** CRC-32 by its definition, bit by bit: reflected, polynomial 0xEDB88320. */
const crc32 = (text: string): number => {
  let remainder = 0xffffffff;
  for (const byte of Buffer.from(text, "latin1")) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return (remainder ^ 0xffffffff) >>> 0;
};

const numberIn = (text: string): number => [...text].reduce((number, digit) => number * 62 + base62.indexOf(digit), 0);

describe("the text of a token", () => {
  test("is parsed into the parts that it was made from", () => {
    fc.assert(
      fc.property(parts, fc.constantFrom("token", "invitation"), (token, kind) => {
        expect(parseTokenText(formatTokenText(token, kind))).toEqual({ ...token, kind });
      }),
    );
  });

  test("ends with the CRC-32 of the preceding characters", () => {
    expect(crc32("123456789")).toBe(0xcbf43926);
    fc.assert(
      fc.property(parts, (token) => {
        const text = formatTokenText(token);
        expect(text).toHaveLength(80);
        expect(numberIn(text.slice(-6))).toBe(crc32(text.slice(0, -6)));
      }),
    );
  });

  test("never changes its format: a token in use must stay readable", () => {
    const token = { token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", secret: "0".repeat(43) };
    expect(formatTokenText(token)).toBe(
      "itk_01ARZ3NDEKTSV4RRFFQ69G5FAV_000000000000000000000000000000000000000000011yppW",
    );
  });

  test("begins differently for an invitation, which is never taken for a token", () => {
    const text = generateTokenText();
    expect(formatTokenText(text, "invitation")).toMatch(new RegExp(`^iti_${text.token_id}_${text.secret}`));
    const renamed = formatTokenText(text, "invitation").replace("iti", "itk");
    expect(parseTokenText(renamed)).toBeUndefined();
  });

  test("is refused with any character changed", () => {
    const text = formatTokenText(generateTokenText());
    for (let place = 0; place < text.length; place += 1) {
      for (const character of characters) {
        const changed = text.slice(0, place) + character + text.slice(place + 1);
        if (changed !== text) expect(parseTokenText(changed), changed).toBeUndefined();
      }
    }
  });

  test("is refused with any two neighbouring characters swapped", () => {
    fc.assert(
      fc.property(parts, (token) => {
        const text = formatTokenText(token);
        for (let place = 1; place < text.length; place += 1) {
          const swapped = `${text.slice(0, place - 1)}${text[place]}${text[place - 1]}${text.slice(place + 1)}`;
          if (swapped !== text) expect(parseTokenText(swapped), swapped).toBeUndefined();
        }
      }),
      { numRuns: 20 },
    );
  });

  test("is refused if it is truncated at either end or anything is added", () => {
    const text = formatTokenText(generateTokenText());
    for (let length = 0; length < text.length; length += 1) {
      expect(parseTokenText(text.slice(0, length))).toBeUndefined();
      expect(parseTokenText(text.slice(text.length - length))).toBeUndefined();
    }
    for (const added of [...characters, "\n", "\0", "é"]) {
      expect(parseTokenText(text + added)).toBeUndefined();
      expect(parseTokenText(added + text)).toBeUndefined();
    }
  });

  test("is checked without an error, whatever it is", () => {
    fc.assert(fc.property(anyText(), (text) => parseTokenText(text) === undefined));
  });
});

describe("a new token", () => {
  test("has the alphabets and the lengths of its parts", () => {
    for (let count = 0; count < 500; count += 1) {
      const text = formatTokenText(generateTokenText());
      expect(text).toMatch(/^itk_[0-7][0-9A-HJKMNP-TV-Z]{25}_[0-9A-Za-z]{49}$/);
      expect(parseTokenText(text)).toBeDefined();
    }
  });

  test("has an id that is recognised by its form", () => {
    const { token_id } = generateTokenText();
    expect(isTokenId(token_id)).toBe(true);
    for (const other of ["", `${token_id}0`, `0${token_id}`, token_id.toLowerCase()])
      expect(isTokenId(other)).toBe(false);
  });

  test("shares neither its id nor its secret with another token", () => {
    const tokens = Array.from({ length: 2_000 }, generateTokenText);
    expect(new Set(tokens.map(({ token_id }) => token_id)).size).toBe(tokens.length);
    expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(tokens.length);
  });

  test("has an id that contains its creation time", () => {
    const from = Date.now();
    const { token_id } = generateTokenText();
    const made = [...token_id.slice(0, 10)].reduce((time, digit) => time * 32 + crockford.indexOf(digit), 0);
    expect(made).toBeGreaterThanOrEqual(from);
    expect(made).toBeLessThanOrEqual(Date.now());
  });

  test("has a secret that uses all bits of its 32 bytes", () => {
    const value = (secret: string) => [...secret].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n);
    const secrets = Array.from({ length: 500 }, () => value(generateTokenText().secret));
    expect(secrets.every((secret) => secret < 1n << 256n)).toBe(true);
    for (let bit = 0n; bit < 256n; bit += 1n) {
      const ones = secrets.filter((secret) => (secret >> bit) & 1n).length;
      // Of 500 fair coins, fewer than 150 or more than 350 heads is out of the question (9 standard deviations).
      expect(ones).toBeGreaterThan(150);
      expect(ones).toBeLessThan(350);
    }
  });
});
