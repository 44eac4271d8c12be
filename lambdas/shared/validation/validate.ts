import * as z from "zod/mini";
import type { FieldMessages } from "../errors/api-error.ts";
import { collectMessages } from "./field-messages.ts";
import { wordIssue, wordSentIssue } from "./issue-words.ts";

export type Result<Value> = { valid: true; value: Value } | { valid: false; fields: FieldMessages };

export interface ValidateOptions {
  /** The name of the whole input, for problems that concern more than one field. Default: `input`. */
  whole?: string;
  /** Whether the input is a form or a query string, in which a field that was sent several times is an array. */
  isForm?: boolean;
}

/**
 * Validates fields against an object schema. Returns a message for every problem of every field at any depth, up to 100 messages.
 *
 * @example validate(schema, { lines: [{}] }) // { valid: false, fields: { "lines.0.sku": ["The lines.0.sku field is required."] } }
 */
export const validate = <Schema extends z.core.$ZodObject>(
  schema: Schema,
  fields: unknown,
  { whole, isForm = false }: ValidateOptions = {},
): Result<z.output<Schema>> => {
  const messages = collectMessages(whole);
  const result = parse(schema, fields, isForm);
  if (result?.success) return { valid: true, value: result.data };
  if (!result) messages.add([], "has too many invalid fields.");

  for (const issue of result?.error.issues ?? []) {
    if (issue.code !== "unrecognized_keys") messages.add(issue.path, issue.message);
    else for (const name of issue.keys) messages.add([...issue.path, name], issue.message);
  }
  return { valid: false, fields: messages.fields };
};

/** Parses fields. Returns `undefined` for more than some 100,000 problems, which zod cannot pass on as the arguments of one call. */
const parse = <Schema extends z.core.$ZodObject>(schema: Schema, fields: unknown, isForm: boolean) => {
  try {
    return z.safeParse(schema, fields, { error: isForm ? wordSentIssue : wordIssue });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
