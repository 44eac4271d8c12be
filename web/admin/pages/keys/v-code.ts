import { vCodeLength } from "../../../../lambdas/domain/keys/key-fields.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Generates a random v_code of letters and digits with 381 bits of entropy. */
export const generateVCode = (): string => Array.from({ length: vCodeLength }, randomCharacter).join("");

/** Every character is equally likely, because bytes that would favour the first characters are drawn again. */
const randomCharacter = (): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  const [byte = fairBytes] = crypto.getRandomValues(new Uint8Array(1));
  return byte < fairBytes ? alphabet.charAt(byte % alphabet.length) : randomCharacter();
};
