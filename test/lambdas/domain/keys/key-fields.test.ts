import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { keyId, vCode } from "../../../../lambdas/domain/keys/key-fields.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";
import { anyText } from "../../../kit/support/any-text.ts";

const form = z.object({ key_id: keyId, v_code: vCode });

/** Returns the messages for a key's fields, or none if they are valid. */
const messagesOf = (fields: object) => {
  const result = validate(form, { key_id: "1", v_code: "v".repeat(64), ...fields }, { isForm: true });
  return result.valid ? {} : { ...result.fields };
};

test("a v_code has exactly 64 code points of any kind", () => {
  const character = fc.oneof(anyText({ minLength: 1, maxLength: 1 }), fc.constantFrom("😀", "\u0301"));
  fc.assert(
    fc.property(fc.array(character, { minLength: 62, maxLength: 66 }), (characters) => {
      const messages = messagesOf({ v_code: characters.join("") });
      expect(messages).toEqual(characters.length === 64 ? {} : { v_code: ["The v_code must be 64 characters."] });
    }),
  );
});

test("a v_code is required, and must not be repeated", () => {
  expect(messagesOf({ v_code: undefined })).toEqual({ v_code: ["The v_code field is required."] });
  expect(messagesOf({ v_code: ["v", "v"] })).toEqual({ v_code: ["The v_code must be sent once."] });
});

const bounds = "The key_id must be 1 to 255 characters.";
const control = "The key_id must not contain control characters.";
const question = "The key_id must not contain a question mark.";
const percent = "The key_id must not contain a percent sign.";
const dots = "The key_id must not be one or two dots.";

test.for<[string, ...string[]]>([
  ["😀".repeat(255)],
  ["", bounds],
  ["a".repeat(256), bounds],
  ["\n?%".repeat(86), bounds, control, question, percent],
  // Clients resolve these as path segments.
  [".", dots],
  ["..", dots],
  ["..."],
  [".a"],
  ["a."],
  ["a..b"],
])("the key_id %j gets these messages: %s %s %s %s", ([key_id, ...messages]) => {
  expect(messagesOf({ key_id })).toEqual(messages.length === 0 ? {} : { key_id: messages });
});

test("a key_id may have any characters except control characters, percent signs and question marks", () => {
  const problems: Record<string, string> = { "?": question, "%": percent };
  for (let code = 0; code < 0x300; code += 1) {
    const character = String.fromCodePoint(code);
    const problem = code < 0x20 || (code >= 0x7f && code < 0xa0) ? control : problems[character];
    const messages = messagesOf({ key_id: `a${character}` });
    expect(messages, `U+${code.toString(16)}`).toEqual(problem ? { key_id: [problem] } : {});
  }
});

test("the documented pattern of a key_id matches its rules", () => {
  const { pattern, description } = z.globalRegistry.get(keyId) ?? {};
  const documented = new RegExp(String(pattern), "u");
  const examples = fc.constantFrom(".", "..", "...", "?", "a?", "%", "100%", "a%2Fb", ".a", "");
  fc.assert(
    fc.property(fc.oneof(examples, fc.string({ unit: "grapheme" })), (key_id) => {
      const messages = JSON.stringify(messagesOf({ key_id }));
      expect(documented.test(key_id)).toBe(![question, percent, dots].some((one) => messages.includes(one)));
    }),
  );
  expect(description).toMatch(/percent sign.*question mark.*`\.`.*`\.\.`/);
});
