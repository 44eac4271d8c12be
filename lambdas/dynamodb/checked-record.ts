import type * as z from "zod/mini";
import { RecordRefused } from "../shared/errors/record-refused.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { validate } from "../shared/validation/validate.ts";
import { isStorable } from "./checked-key.ts";

/** DynamoDB's limit for an item is 400 KB. Some of it is left to what the store adds. */
const mostBytes = 399 * 1024;

/**
 * Returns a function that checks a whole record before it is written, and returns it without fields that its schema does not have.
 *
 * @throws {RecordRefused} naming the fields that the schema rejects
 */
export const checkedRecord =
  (schema: z.core.$ZodObject) =>
  (record: object): Record<string, unknown> => {
    const result = validate(schema, record, { whole: "record", words: wordIssue });
    if (!result.valid) throw new RecordRefused(result.fields);
    const content = result.value as Record<string, unknown>;
    for (const [name, value] of Object.entries(content)) {
      const problem = storageProblem(value);
      if (problem !== undefined) throw new RecordRefused({ [name]: [`The ${name} has ${problem}`] });
    }
    if (bytesOf(content) > mostBytes) {
      const [largest = "record"] = Object.keys(content).toSorted(
        (one, other) => bytesOf(content[other]) - bytesOf(content[one]),
      );
      throw new RecordRefused({ [largest]: [`The ${largest} is too large: a record has at most 399 KB.`] });
    }
    return content;
  };

/** DynamoDB's limit for the name of an attribute, also inside an object. */
const mostNameBytes = 65_535;

/** Finds something in a value, at any depth, that DynamoDB cannot store. Returns it as the end of a sentence. */
const storageProblem = (value: unknown): string | undefined => {
  if (typeof value === "number" && !isStorable(String(value))) return "a number that is too large, or too close to 0.";
  if (typeof value === "string" && !value.isWellFormed()) return "text that is not well-formed Unicode.";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    if (name === "" || Buffer.byteLength(name) > mostNameBytes) return "a member whose name is empty or too long.";
    const problem = storageProblem(name) ?? storageProblem(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** As JSON, an item is never smaller than in DynamoDB. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");
