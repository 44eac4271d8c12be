import * as z from "zod/mini";

const base64url = z.string().check(z.regex(/^[\w-]+$/));
const rsaSchema = z.object({ kty: z.literal("RSA"), n: base64url, e: base64url });
const otherSchema = z.object({ kty: z.enum(["EC", "OKP"]) });

const modulusBits = { min: 2048, max: 8192 };

/** The exponents that FIPS 186-5 allows, limited to those in use. With an exponent of 1, anyone can sign. */
const exponent = { min: 65_537n, max: 0xffff_ffffn };

/**
 * Checks whether a published JWK is of a kind that JWTs are signed with. Rejects RSA keys that are so weak that others can sign
 * with them. The points of other keys are checked when the keys are imported.
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
