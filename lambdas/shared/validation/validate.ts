import * as z from "zod/mini";
import type { FieldMessages } from "../errors/api-error.ts";
import { wordIssue } from "./basic-words.ts";
import { messagesFor, type Problem } from "./field-messages.ts";

export type Result<Value> = { valid: true; value: Value } | { valid: false; fields: FieldMessages };

export interface ValidateOptions {
  /** The name of the whole input, for problems that concern more than one field. Default: `input`. */
  whole?: string;
  /** Whether the input is a form or a query string, in which a field that was sent several times is an array. */
  isForm?: boolean;
  /** Describes a problem as the end of a sentence that begins with "The <field> ". Default: `basic-words.ts`. */
  words?: Words | undefined;
}

export type Words = (issue: z.core.$ZodRawIssue) => string;

/**
 * Validates fields against an object schema. Returns a message for every problem of every field at any depth, up to 100 messages.
 *
 * @example validate(schema, { lines: [{}] }) // { valid: false, fields: { "lines.0.sku": ["The lines.0.sku field is required."] } }
 */
export const validate = <Schema extends z.core.$ZodObject>(
  schema: Schema,
  fields: unknown,
  { whole, isForm = false, words = wordIssue }: ValidateOptions = {},
): Result<z.output<Schema>> => {
  const report = (problems: readonly Problem[]) => ({ valid: false as const, fields: messagesFor(problems, whole) });
  try {
    const error = (issue: z.core.$ZodRawIssue) => (isForm && isRepeated(issue) ? "must be sent once." : words(issue));
    const result = z.safeParse(schema, fields, { error });
    return result.success ? { valid: true, value: result.data } : report(result.error.issues.flatMap(problemsOf));
  } catch (error) {
    // zod passes problems on as the arguments of one call, of which there may be some 100,000.
    if (error instanceof RangeError) return report([[[], "has too many invalid fields."]]);
    throw error;
  }
};

const problemsOf = (issue: z.core.$ZodIssue): Problem[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((name) => [[...issue.path, name], issue.message])
    : [[issue.path, issue.message]];

const isRepeated = ({ input, path }: z.core.$ZodRawIssue): boolean => Array.isArray(input) && path?.length !== 0;
