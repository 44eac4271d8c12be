import * as z from "zod/mini";
import type { FieldMessages } from "../errors/api-error.ts";

export type Result<Value> = { valid: true; value: Value } | { valid: false; fields: FieldMessages };

/**
 * Validates fields against an object schema. Returns a message for every problem of every field.
 *
 * @example validate(schema, { v_code: "short" }) // { valid: false, fields: { v_code: ["The v_code must be 64 characters."] } }
 */
export const validate = <Schema extends z.core.$ZodObject>(
  schema: Schema,
  fields: unknown,
): Result<z.output<Schema>> => {
  const result = z.safeParse(schema, fields, { error: wordIssue });
  if (result.success) return { valid: true, value: result.data };

  const messages: FieldMessages = Object.create(null);
  for (const issue of result.error.issues) {
    for (const { field, problem } of problemsOf(issue)) {
      messages[field] = [...(messages[field] ?? []), `The ${field} ${problem}`];
    }
  }
  return { valid: false, fields: messages };
};

const problemsOf = (issue: z.core.$ZodIssue): { field: string; problem: string }[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((field) => ({ field, problem: issue.message }))
    : [{ field: String(issue.path[0] ?? "input"), problem: issue.message }];

const wordIssue = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code === "unrecognized_keys") return "field is not known.";
  if (issue.code !== "invalid_type") return undefined;
  if (issue.input === undefined) return "field is required.";
  if (Array.isArray(issue.input) && issue.expected !== "object") return "must be sent once.";
  return `must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.`;
};
