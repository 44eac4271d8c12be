import * as z from "zod/mini";
import { text, withoutControlCharacters } from "../../validation/fields.ts";

// API Gateway cuts a path off at an encoded question mark, so that `DELETE /key/a%3Fb` would delete `a`.
const withoutQuestionMark = z.refine<string>((value) => !value.includes("?"), "must not contain a question mark.");

// A client takes them for steps in the path, encoded or not.
const otherThanDots = z.refine<string>((value) => value !== "." && value !== "..", "must not be one or two dots.");

/** The fields of a key, which each door that takes one holds to the same rules. */
export const keyId = text({ min: 1, max: 255 }).check(
  withoutControlCharacters,
  withoutQuestionMark,
  otherThanDots,
  z.meta({
    description: "Names the key. Any characters but control characters and the question mark; not `.` or `..`.",
    pattern: "^(?!\\.{1,2}$)[^?]*$",
    examples: ["1234567"],
  }),
);

export const vCode = text({ min: 64, max: 64 }).check(
  z.meta({
    description: "The verification code: a secret of exactly 64 characters.",
    examples: ["aGVsbG8gaW50ZWdyYXRvcjogdGhpcyBpcyBhIHY2NCBjb2RlIG9mIDY0IGNoYXJz"],
  }),
);

/** The messages for a `key_id` that is there with another `v_code`. */
export const taken = { key_id: ["The key_id has already been taken."] };
