import * as z from "zod/mini";
import { text, withoutControlCharacters } from "../../validation/fields.ts";

// API Gateway cuts off a path at an encoded question mark, so `DELETE /key/a%3Fb` would delete `a`.
const withoutQuestionMark = z.refine<string>((value) => !value.includes("?"), "must not contain a question mark.");

// Clients treat them as steps in the path, encoded or not.
const otherThanDots = z.refine<string>((value) => value !== "." && value !== "..", "must not be one or two dots.");

/** The key of all examples. */
export const exampleKey = {
  key_id: "1234567",
  v_code: "aGVsbG8gaW50ZWdyYXRvcjogdGhpcyBpcyBhIHY2NCBjb2RlIG9mIDY0IGNoYXJz",
};

/** The fields of a key, with the same rules in the API and in the admin actions. */
export const keyId = text({ min: 1, max: 255 }).check(
  withoutControlCharacters,
  withoutQuestionMark,
  otherThanDots,
  z.meta({
    description: "Identifies the key. Any characters except control characters and the question mark; not `.` or `..`.",
    pattern: "^(?!\\.{1,2}$)[^?]*$",
    examples: [exampleKey.key_id],
  }),
);

export const vCode = text({ min: 64, max: 64 }).check(
  z.meta({
    description: "The verification code: a secret of exactly 64 characters.",
    examples: [exampleKey.v_code],
  }),
);

/** The messages for a `key_id` that exists with a different `v_code`. */
export const taken = { key_id: ["The key_id has already been taken."] };
