import * as z from "zod/mini";
import { definitionOf } from "./definition.ts";
import type { Words } from "./validate.ts";

/** The value that a string stands for, or the ends of the sentences that say what is wrong with the string. */
export type ValueFromText = { value: unknown } | { problems: string[] };

/**
 * Reads a setting or a secret, which arrives as text. Numbers are written in digits, and booleans as `true` or `false`. No problem
 * quotes the text, because it may be a secret.
 */
export const valueFromText = (schema: z.core.$ZodType, text: string | undefined, words: Words): ValueFromText => {
  const { success, data, error } = z.safeParse(schema, text && plainValue(schema, text), { error: words });
  if (success) return { value: data };
  const isQuoted = (message: string) => text !== undefined && message.includes(text);
  return { problems: error.issues.map(({ message }) => (isQuoted(message) ? "is not valid." : message)) };
};

const plainValue = (schema: z.core.$ZodType, text: string): unknown => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "optional":
    case "default":
      return plainValue(def.innerType, text);
    case "number":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || (text === "false" ? false : text);
    default:
      return text;
  }
};
