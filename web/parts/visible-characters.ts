import { invisibleCharacter } from "../../lambdas/validation/characters.ts";

/** A part of a text: as it is, or one character that could not be seen, with its code point to show instead. */
interface TextPart {
  text: string;
  /** Where it begins. */
  offset: number;
  /** "U+202E" */
  code?: string;
}

/** An invisible character, and a space that could not be seen or counted: at an end, or after another one. */
const hidden = new RegExp(`(${invisibleCharacter.source}|^ | $|(?<= ) )`, "u");

export const partsOf = (text: string): TextPart[] => {
  const parts: TextPart[] = [];
  let offset = 0;
  // Every other part is what the group has matched.
  for (const [index, part] of text.split(hidden).entries()) {
    if (part !== "") parts.push({ text: part, offset, ...(index % 2 === 1 && { code: codeOf(part) }) });
    offset += part.length;
  }
  return parts;
};

/** "U+200B" */
const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text for a label or a message, where nothing but characters can be shown: "a[U+202E]b". */
export const visibleText = (text: string): string =>
  partsOf(text)
    .map(({ text, code }) => (code === undefined ? text : `[${code}]`))
    .join("");

/** The code points of the invisible characters in a text, each once. */
export const hiddenCodes = (text: string): string[] => [...new Set(partsOf(text).flatMap(({ code }) => code ?? []))];
