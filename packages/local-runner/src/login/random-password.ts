import { randomInt } from "node:crypto";

// None that is taken for another: no 0 and o, no 1, i and l.
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * Makes a password that can be read out and typed, of some 79 bits.
 *
 * @example randomPassword() // "hx3k-9mwp-t4vq-c7dn"
 */
export const randomPassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join("")).join(
    "-",
  );
