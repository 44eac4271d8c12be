import { randomInt } from "node:crypto";

// Without characters that look alike: 0 and o; 1, i and l.
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * Makes a password of about 79 bits that is easy to read out and type.
 *
 * @example randomPassword() // "hx3k-9mwp-t4vq-c7dn"
 */
export const randomPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("")).join(
    "-",
  );
