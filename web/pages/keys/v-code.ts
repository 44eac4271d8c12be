/** The number of characters in a v_code: Unicode code points, as the service counts them. */
export const vCodeLength = 64;

export const countCharacters = (text: string): number => [...text].length;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A random v_code: 64 letters and digits, 381 bits. */
export const generateVCode = (): string => Array.from({ length: vCodeLength }, randomCharacter).join("");

/** Every character is equally likely: a byte that would favour the first ones is drawn again. */
const randomCharacter = (): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  const [byte = fairBytes] = crypto.getRandomValues(new Uint8Array(1));
  return byte < fairBytes ? alphabet.charAt(byte % alphabet.length) : randomCharacter();
};
