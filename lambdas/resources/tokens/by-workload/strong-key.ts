import * as z from "zod/mini";

const base64url = z.string().check(z.regex(/^[\w-]+$/));
const rsaSchema = z.object({ kty: z.literal("RSA"), n: base64url, e: base64url });
const otherSchema = z.object({ kty: z.enum(["EC", "OKP"]) });

const modulusBits = { min: 2048, max: 8192 };

/** The range of FIPS 186-5, as far as it is in use: with an exponent of 1, anybody can sign. */
const exponent = { min: 65_537n, max: 0xffff_ffffn };

/**
 * Whether a published JWK is of a kind with which JWTs are signed, and an RSA key is not so weak that others can sign with it. The
 * points of other keys are checked when they are imported.
 */
export const isStrongKey = (jwk: object): boolean => {
  const { data: rsa } = z.safeParse(rsaSchema, jwk);
  if (!rsa) return z.safeParse(otherSchema, jwk).success;
  const [n, e] = [numberIn(rsa.n), numberIn(rsa.e)];
  const bits = n.toString(2).length;
  const isOdd = n % 2n === 1n && e % 2n === 1n;
  return isOdd && bits >= modulusBits.min && bits <= modulusBits.max && e >= exponent.min && e <= exponent.max;
};

const numberIn = (text: string): bigint => BigInt(`0x${Buffer.from(text, "base64url").toString("hex") || "0"}`);
