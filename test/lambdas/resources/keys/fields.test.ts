import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { exampleKey, keyId, storedKeyId, taken, vCode } from "../../../../lambdas/resources/keys/fields.ts";
import { validate } from "../../../../lambdas/validation/validate.ts";
import { anyText } from "../../../support/any-text.ts";

const form = z.object({ key_id: keyId, v_code: vCode });

/** The messages for the fields of a key; none if they are valid. */
const messagesOf = (fields: unknown) => {
  const result = validate(form, fields);
  return result.valid ? {} : { ...result.fields };
};

const length = "The v_code must be 64 characters.";
const required = "The v_code field is required.";

describe("a v_code", () => {
  const of = (v_code: unknown) => messagesOf({ key_id: "1", v_code });

  test("of any 64 code points is valid", () => {
    const codePoints = fc.array(fc.oneof(anyText({ minLength: 1, maxLength: 1 })), {
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(fc.property(codePoints, (characters) => Object.keys(of(characters.join(""))).length === 0));
  });

  test("of any other number of code points is refused with one message", () => {
    const codePoints = fc.array(anyText({ minLength: 1, maxLength: 1 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        codePoints.filter((characters) => characters.length !== 64),
        (characters) => {
          expect(of(characters.join(""))).toEqual({ v_code: [length] });
        },
      ),
    );
  });

  test("is measured in characters, not in UTF-16 units or bytes", () => {
    expect(of("😀".repeat(64))).toEqual({});
    expect(of("😀".repeat(32))).toEqual({ v_code: [length] });
    expect(of("e\u0301".repeat(32))).toEqual({});
  });

  test("is required if it is missing, and too short if it is empty", () => {
    expect(of(undefined)).toEqual({ v_code: [required] });
    expect(of("")).toEqual({ v_code: [length] });
  });

  test("that is sent twice is refused, even with the same value", () => {
    expect(of(["a".repeat(64), "a".repeat(64)])).toEqual({ v_code: ["The v_code must be sent once."] });
  });
});

describe("a key_id", () => {
  const of = (key_id: unknown) => messagesOf({ key_id, v_code: "v".repeat(64) });
  const bounds = "The key_id must be 1 to 255 characters.";
  const control = "The key_id must not contain control characters.";
  const question = "The key_id must not contain a question mark.";
  const percent = "The key_id must not contain a percent sign.";
  const problemsOf: Record<string, object> = { "?": { key_id: [question] }, "%": { key_id: [percent] } };

  test("has 1 to 255 characters", () => {
    expect(of("")).toEqual({ key_id: [bounds] });
    expect(of("😀".repeat(255))).toEqual({});
    expect(of("a".repeat(256))).toEqual({ key_id: [bounds] });
  });

  test("may have any characters except control characters, percent signs and question marks", () => {
    for (let code = 0; code < 0x3000; code += 1) {
      const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
      const character = String.fromCodePoint(code);
      expect(of(`a${character}`), `U+${code.toString(16)}`).toEqual(
        isControl ? { key_id: [control] } : (problemsOf[character] ?? {}),
      );
    }
  });

  test("that breaks several rules gets all their messages", () => {
    expect(of("\n?%".repeat(86))).toEqual({ key_id: [bounds, control, question, percent] });
  });

  test("must not be one or two dots, which clients resolve as path segments", () => {
    for (const dots of [".", ".."]) expect(of(dots)).toEqual({ key_id: ["The key_id must not be one or two dots."] });
    for (const other of ["...", ".a", "a.", "a..b"]) expect(of(other)).toEqual({});
  });

  test("is described by a pattern that agrees with its rules", () => {
    const { pattern, description } = z.globalRegistry.get(keyId) ?? {};
    const described = new RegExp(String(pattern), "u");
    const texts = fc.oneof(
      fc.constantFrom(".", "..", "...", "?", "a?", "%", "100%", "a%2Fb", ".a", ""),
      fc.string({ unit: "grapheme" }),
    );

    fc.assert(
      fc.property(texts, (text) => {
        const { key_id = [] } = of(text) as { key_id?: string[] };
        const refusals = key_id.filter((message) => /question mark|percent sign|dots/.test(message));
        expect(described.test(text)).toBe(refusals.length === 0);
      }),
    );
    expect(description).toMatch(/percent sign.*question mark.*`\.`.*`\.\.`/);
  });

  test("that is stored may have a percent sign, because version 1.0 accepted it", () => {
    const { pattern, description } = z.globalRegistry.get(storedKeyId) ?? {};
    const described = new RegExp(String(pattern), "u");

    expect(z.safeParse(storedKeyId, "100%").success).toBe(true);
    expect(described.test("100%")).toBe(true);
    for (const never of ["a?b", ".", "..", ""]) expect(z.safeParse(storedKeyId, never).success).toBe(false);
    for (const never of ["a?b", ".", ".."]) expect(described.test(never)).toBe(false);
    expect(description).toBe("Identifies the key.");
  });
});

test("the example of a key is valid, and its values are the examples of the fields", () => {
  expect(messagesOf(exampleKey)).toEqual({});
  for (const id of [keyId, storedKeyId]) expect(z.globalRegistry.get(id)?.examples).toEqual([exampleKey.key_id]);
  expect(z.globalRegistry.get(vCode)?.examples).toEqual([exampleKey.v_code]);
  expect(z.globalRegistry.get(vCode)?.description).toMatch(/secret of exactly 64 characters/);
});

test("a key_id that is taken is reported at its field", () => {
  expect(taken).toEqual({ key_id: ["The key_id has already been taken."] });
});
