import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { keyId, vCode } from "../../../lambdas/resources/keys/fields.ts";
import { text } from "../../../lambdas/validation/fields.ts";
import { validate } from "../../../lambdas/validation/validate.ts";

const form = z.object({ key_id: keyId, v_code: vCode });

/** The messages for the fields of a key; none if they are valid. */
const messagesOf = (fields: unknown, schema: z.core.$ZodObject = form) => {
  const result = validate(schema, fields);
  return result.valid ? {} : { ...result.fields };
};

const length = "The v_code must be 64 characters.";
const required = "The v_code field is required.";

describe("a v_code", () => {
  const of = (v_code: unknown) => messagesOf({ key_id: "1", v_code });

  test("of 64 code points is valid, whatever they are", () => {
    const codePoints = fc.array(fc.oneof(fc.string({ unit: "binary", minLength: 1, maxLength: 1 })), {
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(fc.property(codePoints, (characters) => Object.keys(of(characters.join(""))).length === 0));
  });

  test("of any other number of code points is refused with one message", () => {
    const codePoints = fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        codePoints.filter((characters) => characters.length !== 64),
        (characters) => {
          expect(of(characters.join(""))).toEqual({ v_code: [length] });
        },
      ),
    );
  });

  test("is counted in characters, not in UTF-16 units or bytes", () => {
    expect(of("😀".repeat(64))).toEqual({});
    expect(of("😀".repeat(32))).toEqual({ v_code: [length] });
    expect(of("e\u0301".repeat(32))).toEqual({});
  });

  test("that is missing is required, and that is empty is too short", () => {
    expect(of(undefined)).toEqual({ v_code: [required] });
    expect(of("")).toEqual({ v_code: [length] });
  });

  test("that was sent twice is refused, even twice the same", () => {
    expect(of(["a".repeat(64), "a".repeat(64)])).toEqual({ v_code: ["The v_code must be sent once."] });
  });
});

describe("a key_id", () => {
  const of = (key_id: unknown) => messagesOf({ key_id, v_code: "v".repeat(64) });
  const bounds = "The key_id must be 1 to 255 characters.";
  const control = "The key_id must not contain control characters.";
  const question = "The key_id must not contain a question mark.";

  test("has 1 to 255 characters", () => {
    expect(of("")).toEqual({ key_id: [bounds] });
    expect(of("😀".repeat(255))).toEqual({});
    expect(of("a".repeat(256))).toEqual({ key_id: [bounds] });
  });

  test("has no control character and no question mark, and any other character", () => {
    for (let code = 0; code < 0x3000; code += 1) {
      const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
      expect(of(`a${String.fromCodePoint(code)}`), `U+${code.toString(16)}`).toEqual(
        isControl ? { key_id: [control] } : code === 0x3f ? { key_id: [question] } : {},
      );
    }
  });

  test("that breaks several rules gets all their messages", () => {
    expect(of("\n?".repeat(128))).toEqual({ key_id: [bounds, control, question] });
  });
});

describe("validation", () => {
  test("tells of every invalid field at once", () => {
    expect(messagesOf({ key_id: "", v_code: "short" })).toEqual({
      key_id: ["The key_id must be 1 to 255 characters."],
      v_code: [length],
    });
    expect(messagesOf({})).toEqual({ key_id: ["The key_id field is required."], v_code: [required] });
  });

  test("tells of just those fields that are invalid, whichever they are", () => {
    const names = ["a", "b", "c", "__proto__x", "constructor"];
    const schema = z.object(Object.fromEntries(names.map((name) => [name, text({ min: 1, max: 3 })])));
    const values = fc.constantFrom<unknown>("ok", "long text", "", undefined, ["x", "y"], 5, null);
    fc.assert(
      fc.property(fc.tuple(...names.map(() => values)), (values) => {
        const fields = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const invalid = names.filter((name) => fields[name] !== "ok");
        expect(Object.keys(messagesOf(fields, schema)).toSorted()).toEqual(invalid.toSorted());
      }),
    );
  });

  test("ignores unknown fields, __proto__ among them, and lets none of them through", () => {
    const fields: unknown = JSON.parse(`{"key_id":"1","v_code":"${"v".repeat(64)}","more":"x","__proto__":{"p":1}}`);
    expect(validate(form, fields)).toEqual({ valid: true, value: { key_id: "1", v_code: "v".repeat(64) } });
  });

  test("names each unknown field where the schema is strict", () => {
    const schema = z.strictObject({ a: text({ min: 1, max: 3 }) });
    expect(messagesOf({ b: 1, c: 2 }, schema)).toEqual({
      a: ["The a field is required."],
      b: ["The b field is not known."],
      c: ["The c field is not known."],
    });
  });

  test.for<[string, unknown]>([
    ["a list", []],
    ["a text", "text"],
    ["null", null],
    ["a number", 5],
  ])("says of input that is %s that it must be an object", ([, input]) => {
    expect(messagesOf(input)).toEqual({ input: ["The input must be an object."] });
  });
});
