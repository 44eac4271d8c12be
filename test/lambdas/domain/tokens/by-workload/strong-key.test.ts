import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { isStrongKey } from "../../../../../lambdas/domain/tokens/by-workload/strong-key.ts";

const jwkOf = (modulusLength: number) =>
  generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" });
const [rsa, weak] = [jwkOf(2048), jwkOf(1024)];

const encode = (number: bigint) => {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex").toString("base64url");
};
const bytesOf = ({ n }: { n?: string }) => Buffer.from(String(n), "base64url");
const modulus = BigInt(`0x${bytesOf(rsa).toString("hex")}`);
const padded = Buffer.concat([Buffer.alloc(128), bytesOf(weak)]).toString("base64url");
const exponents = [0n, 1n, 2n, 3n, 17n, 65_536n, 65_538n, (1n << 32n) + 1n, (1n << 255n) + 1n];

test.for([
  ["RSA with 2,048 bits", rsa, true],
  ["RSA with leading zeros in its exponent", { ...rsa, e: "AAEAAQ" }, true],
  ["an elliptic curve", { kty: "EC", crv: "P-256" }, true],
  ["RSA with 1,024 bits", weak, false],
  ["RSA with 1,024 bits behind zeros", { ...rsa, n: padded }, false],
  ["RSA with 16,384 bits", { ...rsa, n: encode((1n << 16_383n) + 1n) }, false],
  ["RSA with an even modulus", { ...rsa, n: encode(modulus - 1n) }, false],
  ...exponents.map((e) => [`RSA with the exponent ${e}`, { ...rsa, e: encode(e) }, false] as const),
  ["RSA with an exponent that is not a number", { ...rsa, e: "!" }, false],
  ["RSA without an exponent", { kty: "RSA", n: rsa.n }, false],
  ["a secret", { kty: "oct", k: "AA" }, false],
] as const)("a key is strong enough or rejected: %s", ([, jwk, isStrong]) => {
  expect(isStrongKey(jwk)).toBe(isStrong);
});
