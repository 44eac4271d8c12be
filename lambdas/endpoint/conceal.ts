/** Minimum length of a line or an encoding to hide. Hiding shorter ones, such as a bracket, would make logs unreadable. */
const shortestPart = 8;

/**
 * Returns a function that replaces secrets in a text with `***`: as they are, escaped as in JSON, a URL, a form or HTML, and encoded
 * in hexadecimal digits or in base64. It also replaces each line of a secret.
 */
export const concealing = (secrets: Iterable<string>): ((text: string) => string) => {
  // The longest come first, because a form may be the beginning of another one.
  const forms = [...secrets].flatMap(formsOf).toSorted((one, other) => other.length - one.length);
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.map(patternOf).join("|"), "giu");
  return (text) => text.replaceAll(pattern, "***");
};

const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const encoded = [bytes.toString("hex"), ...[0, 1, 2].map((offset) => base64At(bytes, offset))];
  const parts = [...secret.split(/\r?\n/), ...encoded].filter(({ length }) => length >= shortestPart);
  return [secret, ...parts].filter(Boolean);
};

/**
 * Returns the characters of the base64 of a longer text that depend only on these bytes. `offset` is how many bytes precede them in
 * a group of three, as those of a user's name do in `Authorization: Basic`.
 */
const base64At = (bytes: Buffer, offset: number): string =>
  Buffer.concat([Buffer.alloc(offset), bytes])
    .toString("base64")
    .slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));

/** Matches an escaped character, also if it has been escaped repeatedly. The last ones stand for a space, `+` and `/`. */
const escaped = [
  "(?:\\\\{1,15}u[\\da-f]{4}){1,2}",
  "\\\\{1,15}(?:x[\\da-f]{2}|[bfnrtv0])",
  "(?:%(?:25){0,3}[\\da-f]{2}){1,4}",
  "&(?:amp;){0,3}#?\\w{1,8};",
  "[-_+]",
].join("|");

/** Letters and digits are never escaped. */
const patternOf = (text: string): string =>
  [...text]
    .map((character) => {
      if (/[a-z\d]/i.test(character)) return character;
      const code = character.codePointAt(0)?.toString(16);
      return `(?:\\\\{0,15}\\u{${code}}|${escaped})`;
    })
    .join("");
