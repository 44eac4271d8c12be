import { invisibleCharacter } from "../../../lambdas/shared/validation/characters.ts";

/** A part of a text: either unchanged, or one invisible character and the code point to show instead. */
interface TextPart {
  text: string;
  /** The part's offset in the text. */
  offset: number;
  /** Such as "U+202E". */
  code?: string;
}

/** Matches an invisible character, or a space that can't be seen or counted: at either end, or after another space. */
const hidden = new RegExp(`(${invisibleCharacter.source}|^ | $|(?<= ) )`, "u");

export const partsOf = (text: string): TextPart[] => {
  const parts: TextPart[] = [];
  let offset = 0;
  // Every second part is a match of the capture group.
  for (const [index, part] of text.split(hidden).entries()) {
    if (part !== "") parts.push({ text: part, offset, ...(index % 2 === 1 && { code: codeOf(part) }) });
    offset += part.length;
  }
  return parts;
};

/** Returns a character's code point, such as "U+200B". */
const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Returns a text for a label or message, where only plain characters can be shown: "a[U+202E]b". */
export const visibleText = (text: string): string =>
  partsOf(text)
    .map(({ text, code }) => (code === undefined ? text : `[${code}]`))
    .join("");

/** Returns the distinct code points of the invisible characters in a text. */
export const hiddenCodes = (text: string): string[] => [...new Set(partsOf(text).flatMap(({ code }) => code ?? []))];
