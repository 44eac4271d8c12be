import { invisibleCharacter } from "../../lambdas/shared/validation/characters.ts";

const allInvisible = new RegExp(invisibleCharacter, "gu");

/**
 * Escapes invisible characters as JSON does, such as `\u009b`. A terminal would act on some of them, and others would make two
 * names look alike. Line breaks remain, because JSON has already escaped those within strings.
 */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(allInvisible, (character) =>
    character === "\n" ? character : character.replaceAll(/./gs, escapeUnit),
  );

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Formats a response as JSON that is safe to print. */
export const formatResponse = (response: unknown): string => escapeInvisible(JSON.stringify(response, undefined, 2));

/** Makes text that the user typed safe to print in a message. */
export const quote = (text: string): string => escapeInvisible(JSON.stringify(text));

/** Quotes a value for a shell. Uses single quotes if the value contains characters that a shell would change. */
export const shellWord = (text: string): string =>
  /^[\w.:,@%+/=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
