import { vCodeLength } from "../../../lambdas/resources/keys/fields.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A random v_code of letters and digits: 381 bits. */
export const generateVCode = (): string => Array.from({ length: vCodeLength }, randomCharacter).join("");

/** Every character is equally likely: a byte that would favour the first ones is drawn again. */
const randomCharacter = (): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  const [byte = fairBytes] = crypto.getRandomValues(new Uint8Array(1));
  return byte < fairBytes ? alphabet.charAt(byte % alphabet.length) : randomCharacter();
};
