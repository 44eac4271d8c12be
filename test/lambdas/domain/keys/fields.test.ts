import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { keyId, vCode } from "../../../../lambdas/domain/keys/key-fields.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";
import { anyText } from "../../../support/any-text.ts";

const form = z.object({ key_id: keyId, v_code: vCode });

/** Returns the messages for a key's fields, or none if they are valid. */
const messagesOf = (fields: object) => {
  const result = validate(form, { key_id: "1", v_code: "v".repeat(64), ...fields });
  return result.valid ? {} : { ...result.fields };
};
const patternOf = (schema: z.ZodMiniType) => new RegExp(String(z.globalRegistry.get(schema)?.pattern), "u");

describe("a v_code", () => {
  const character = anyText({ minLength: 1, maxLength: 1 });
  const length = "The v_code must be 64 characters.";

  test("has exactly 64 code points of any kind", () => {
    const characters = fc.array(fc.oneof(character, fc.constant("😀"), fc.constant("\u0301")), {
      minLength: 62,
      maxLength: 66,
    });
    fc.assert(
      fc.property(characters, (characters) => {
        const messages = messagesOf({ v_code: characters.join("") });
        expect(messages).toEqual(characters.length === 64 ? {} : { v_code: [length] });
      }),
    );
  });

  test("is required, and must be sent once", () => {
    expect(messagesOf({ v_code: undefined })).toEqual({ v_code: ["The v_code field is required."] });
    expect(messagesOf({ v_code: [length, length] })).toEqual({ v_code: ["The v_code must be sent once."] });
  });
});

describe("a key_id", () => {
  const of = (key_id: string) => messagesOf({ key_id });
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
    ...["...", ".a", "a.", "a..b"].map((text): [string] => [text]),
  ])("that is %j gets these messages: %s %s %s %s", ([text, ...messages]) => {
    expect(of(text)).toEqual(messages.length === 0 ? {} : { key_id: messages });
  });

  test("may have any characters except control characters, percent signs and question marks", () => {
    const problems: Record<string, string> = { "?": question, "%": percent };
    for (let code = 0; code < 0x3000; code += 1) {
      const character = String.fromCodePoint(code);
      const problem = code < 0x20 || (code >= 0x7f && code < 0xa0) ? control : problems[character];
      expect(of(`a${character}`), `U+${code.toString(16)}`).toEqual(problem ? { key_id: [problem] } : {});
    }
  });

  test("has a documented pattern that agrees with its rules", () => {
    const described = patternOf(keyId);
    const texts = fc.oneof(
      fc.constantFrom(".", "..", "...", "?", "a?", "%", "100%", "a%2Fb", ".a", ""),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const isRefused = [question, percent, dots].some((message) => JSON.stringify(of(text)).includes(message));
        expect(described.test(text)).toBe(!isRefused);
      }),
    );
    expect(z.globalRegistry.get(keyId)?.description).toMatch(/percent sign.*question mark.*`\.`.*`\.\.`/);
  });
});
