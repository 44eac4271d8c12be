import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a secret, base64url. 32 random bytes need neither a salt nor a slow hash. */
export const hashSecret = (secret: string): string => digest(secret).toString("base64url");

/** Whether a text is a hash as `hashSecret` returns it. */
export const isHash = (text: string): boolean => /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text);

/**
 * Compares a secret with a stored hash in constant time. Without a hash (an unknown id) it does the same work and returns
 * false, so that an unknown id looks the same as a wrong secret.
 */
export const matchesHash = (secret: string, hash: string | undefined): boolean => {
  const actual = digest(secret);
  const expected = Buffer.alloc(actual.length);
  const written = expected.write(hash ?? "", "base64url");
  const equal = timingSafeEqual(actual, expected);
  return equal && written === actual.length;
};

const digest = (secret: string): Buffer => createHash("sha256").update(secret).digest();
