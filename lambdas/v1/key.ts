import * as z from "zod/mini";
import { text, time, withoutControlCharacters } from "../declaration/fields.ts";

// API Gateway cuts a path off at an encoded question mark, so that `DELETE /key/a%3Fb` would delete `a`.
const withoutQuestionMark = z.refine<string>((value) => !value.includes("?"), "must not contain a question mark.");

// A client takes them for steps in the path, encoded or not.
const otherThanDots = z.refine<string>((value) => value !== "." && value !== "..", "must not be one or two dots.");

/** The schemas of a key, shared by the endpoints under `/key`. */
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

export const key = z
  .object({
    key_id: keyId,
    v_code: vCode,
    created_at: time("When the key was created."),
    updated_at: time("When its v_code was last replaced."),
  })
  .check(z.meta({ id: "Key", description: "A key: a name and the verification code that is stored under it." }));

/** The path of a key, below its version. */
export const keyPath = (id: string): `/${string}` => `/key/${encodeURIComponent(id)}`;
