import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { isStrongKey } from "../../../../../lambdas/domain/tokens/by-workload/strong-key.ts";

const jwkOf = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent }).publicKey.export({ format: "jwk" });

const rsa = jwkOf(2048);
const encode = (number: bigint) =>
  Buffer.from(
    number
      .toString(16)
      .padStart(2, "0")
      .replace(/^(.(?:..)*)$/, "0$1"),
    "hex",
  ).toString("base64url");
const modulus = BigInt(`0x${Buffer.from(String(rsa.n), "base64url").toString("hex")}`);

test.for([
  ["RSA with 2,048 bits", rsa, true],
  ["an exponent with leading zeros", { ...rsa, e: "AAEAAQ" }, true],
  ["RSA with 1,024 bits", jwkOf(1024), false],
  [
    "1,024 bits behind zeros",
    {
      ...rsa,
      n: Buffer.concat([Buffer.alloc(128), Buffer.from(String(jwkOf(1024).n), "base64url")]).toString("base64url"),
    },
    false,
  ],
  ["RSA with 16,384 bits", { ...rsa, n: encode((1n << 16_383n) + 1n) }, false],
  ["an even modulus", { ...rsa, n: encode(modulus - 1n) }, false],
  ...[0n, 1n, 2n, 3n, 17n, 65_536n, 65_538n, (1n << 32n) + 1n, (1n << 255n) + 1n].map(
    (e) => [`the exponent ${e}`, { ...rsa, e: encode(e) }, false] as const,
  ),
  ["an exponent that is no number", { ...rsa, e: "!" }, false],
  ["an RSA key without an exponent", { kty: "RSA", n: rsa.n }, false],
  ["an elliptic curve", { kty: "EC", crv: "P-256" }, true],
  ["a secret", { kty: "oct", k: "AA" }, false],
] as const)("%s", ([, jwk, isStrong]) => {
  expect(isStrongKey(jwk)).toBe(isStrong);
});
