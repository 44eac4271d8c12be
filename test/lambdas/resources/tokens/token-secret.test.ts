import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, isHash, matchesHash } from "../../../../lambdas/resources/tokens/token-text.ts";

const secret = fc.string({ unit: "grapheme-ascii", maxLength: 60 });

describe("the hash of a secret", () => {
  test("matches only that secret", () => {
    fc.assert(
      fc.property(secret, fc.oneof(secret, fc.constant(undefined)), (stored, sent = stored) => {
        expect(matchesHash(sent, hashSecret(stored))).toBe(sent === stored);
      }),
    );
  });

  test("is SHA-256", () => {
    expect(hashSecret("abc")).toBe(
      Buffer.from("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "hex").toString("base64url"),
    );
  });
});

test("a hash is recognised by its form", () => {
  const hash = hashSecret("abc");
  expect([hash, `A${hash}`, `${hash}A`, hash.slice(1), ""].map(isHash)).toEqual([true, false, false, false, false]);
});

describe("a secret matches nothing", () => {
  test("without a hash", () => {
    fc.assert(fc.property(secret, (sent) => !matchesHash(sent, undefined)));
  });

  test("with a hash that is truncated, damaged or empty", () => {
    const hash = hashSecret("secret");
    for (const spoilt of ["", hash.slice(0, -2), `!${hash.slice(1)}`, "A".repeat(43)]) {
      expect(matchesHash("secret", spoilt), spoilt).toBe(false);
    }
  });

  test("with a hash of the same length by another function", () => {
    const other = createHash("sha512-256").update("secret").digest("base64url");
    expect(other).toHaveLength(hashSecret("secret").length);
    expect(matchesHash("secret", other)).toBe(false);
  });
});
