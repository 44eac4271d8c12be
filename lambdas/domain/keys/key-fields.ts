import * as z from "zod/mini";
import { text, time, withoutControlCharacters } from "../../shared/validation/fields.ts";

/*
 * API Gateway decodes a request's path twice, and cuts it off at a question mark in between. `DELETE /key/a%3Fb` would delete `a`,
 * and `DELETE /key/a%252Fb` would delete `a/b`.
 */
const withoutQuestionMark = z.refine<string>((value) => !value.includes("?"), "must not contain a question mark.");
const withoutPercentSign = z.refine<string>((value) => !value.includes("%"), "must not contain a percent sign.");

// HTTP clients treat one or two dots as steps in the path, even if encoded.
const otherThanDots = z.refine<string>((value) => value !== "." && value !== "..", "must not be one or two dots.");

/** The last part of the path at which changes of keys are read, where a key with this id could not be read. */
const pathOfChanges = "changes";
const otherThanChanges = z.refine<string>((value) => value !== pathOfChanges, `must not be \`${pathOfChanges}\`.`);

/** The key in all examples. */
export const exampleKey = {
  key_id: "1234567",
  v_code: "aGVsbG8gaW50ZWdyYXRvcjogdGhpcyBpcyBhIHY2NCBjb2RlIG9mIDY0IGNoYXJz",
};

/** The lengths of a key_id and of a v_code, in characters. */
export const keyIdLength = { min: 1, max: 255 };
export const vCodeLength = 64;

/** The id of a key. The API and the admin actions use the same rules. */
export const keyId = text(keyIdLength).check(
  withoutControlCharacters,
  withoutQuestionMark,
  withoutPercentSign,
  otherThanDots,
  otherThanChanges,
  z.meta({
    description:
      "Identifies the key. Any characters except control characters, the percent sign and the question mark; not `.`, `..` or `changes`.",
    pattern: "^(?!(?:\\.{1,2}|changes)$)[^%?]*$",
    examples: [exampleKey.key_id],
  }),
);

export const isKeyId = (id: string): boolean => z.safeParse(keyId, id).success;

export const vCode = text({ min: vCodeLength, max: vCodeLength }).check(
  z.meta({
    description: `The verification code: a secret of exactly ${vCodeLength} characters.`,
    examples: [exampleKey.v_code],
  }),
);

/** What clients and admins write. Everything else about the fields of keys is derived from here. */
export const writtenKey = z.object({ key_id: keyId, v_code: vCode });

/** What replaces the contents of a key. */
export const keyContents = z.omit(writtenKey, { key_id: true });

/** The contents that are not secret: admins see them in lists, and edit them. */
export const shownContents = z.omit(keyContents, { v_code: true });

/** What a replacement changes. A new field of a key changes the words in the API description and on the pages too. */
export const replaceable = Object.keys(shownContents.shape).length === 0 ? "v_code" : "content";

/** What admins send to change a key. If a key has more than its v_code, the v_code may be left out, which keeps it unchanged. */
export const editedContents =
  replaceable === "v_code" ? keyContents : z.extend(shownContents, { v_code: z.optional(vCode) });

const times = {
  created_at: time("When the key was created."),
  updated_at: time(`When its ${replaceable} was last replaced.`),
};

/** A key as it is stored and returned. */
export const key = z
  .object({ ...writtenKey.def.shape, ...times })
  .check(z.meta({ id: "Key", description: "A key: a name and the verification code that is stored under it." }));

/** A key without its secrets. */
export const shownKey = z.object({ key_id: keyId, ...shownContents.shape, ...times });

/** The messages for a `key_id` that already exists with a different `v_code`. */
export const taken = { key_id: ["The key_id has already been taken."] };
