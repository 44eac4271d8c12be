/** How many characters a v_code has, counted as Unicode code points, as the service does. */
export const vCodeLength = 64;

export const countCharacters = (text: string): number => [...text].length;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A v_code that nobody can guess: 64 letters and digits, 381 bits. */
export const generateVCode = (): string => Array.from({ length: vCodeLength }, randomCharacter).join("");

/** Every character as likely as another: a byte that would favour the first ones is thrown again. */
const randomCharacter = (): string => {
  const fairBytes = 256 - (256 % alphabet.length);
  const [byte = fairBytes] = crypto.getRandomValues(new Uint8Array(1));
  return byte < fairBytes ? alphabet.charAt(byte % alphabet.length) : randomCharacter();
};
