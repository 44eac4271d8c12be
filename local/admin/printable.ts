import { invisibleCharacter } from "../../lambdas/validation/characters.ts";

const allInvisible = new RegExp(invisibleCharacter, "gu");

/**
 * Writes invisible characters as JSON does, `\u009b`. A terminal would act on some of them, and others would make two names look
 * alike. Line ends remain, because JSON has already escaped those within texts.
 */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(allInvisible, (character) =>
    character === "\n" ? character : character.replaceAll(/./gs, escapeUnit),
  );

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The JSON of a response, which may be printed. */
export const formatResponse = (answer: unknown): string => escapeInvisible(JSON.stringify(answer, undefined, 2));

/** Makes text that the user typed safe to print in a message. */
export const quote = (text: string): string => escapeInvisible(JSON.stringify(text));

/** A value as a shell takes it: in single quotes if it has characters that a shell would change. */
export const shellWord = (text: string): string =>
  /^[\w.:,@%+/=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
