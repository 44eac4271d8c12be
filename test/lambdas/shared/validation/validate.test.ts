import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { text } from "../../../../lambdas/shared/validation/fields.ts";
import { declaredFields } from "../../../../lambdas/shared/validation/response-body.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";

const form = z.object({ name: text({ min: 1, max: 255 }), code: text({ min: 64, max: 64 }) });

/** Returns the messages for invalid fields, or none if all are valid. */
const messagesOf = (fields: unknown, schema: z.core.$ZodObject = form) => {
  const result = validate(schema, fields);
  return result.valid ? {} : { ...result.fields };
};

test("reports every invalid field at once", () => {
  expect(messagesOf({ name: "", code: "short" })).toEqual({
    name: ["The name must be 1 to 255 characters."],
    code: ["The code must be 64 characters."],
  });
  expect(messagesOf({})).toEqual({ name: ["The name field is required."], code: ["The code field is required."] });
});

test("reports exactly the invalid fields", () => {
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

test("ignores and drops unknown fields, including __proto__", () => {
  const fields: unknown = JSON.parse(`{"name":"1","code":"${"v".repeat(64)}","more":"x","__proto__":{"p":1}}`);
  expect(validate(form, fields)).toEqual({ valid: true, value: { name: "1", code: "v".repeat(64) } });
});

test("names each unknown field if the schema is strict", () => {
  const schema = z.strictObject({ a: text({ min: 1, max: 3 }) });
  const unknown = { b: ["The b field is not known."], c: ["The c field is not known."] };
  expect(messagesOf({ b: 1, c: 2 }, schema)).toEqual({ a: ["The a field is required."], ...unknown });
});

test("reports that the input must be an object", () => {
  for (const input of [[], "text", null, 5])
    expect(messagesOf(input)).toEqual({ input: ["The input must be an object."] });
});

const secret = { internal_note: "not for clients" };

const object = z.object({ id: z.string() });

test.each<[string, z.ZodMiniType, unknown, unknown]>([
  ["an object", object, { id: "1", ...secret }, { id: "1" }],
  ["a strict object", z.strictObject({ id: z.string() }), { id: "1", ...secret }, { id: "1" }],
  ["an array", z.array(object), [{ id: "1", ...secret }], [{ id: "1" }]],
  ["a nested object", z.object({ at: object }), { at: { id: "1", ...secret } }, { at: { id: "1" } }],
  ["a nullable object", z.nullable(object), { id: "1", ...secret }, { id: "1" }],
  ["null", z.nullable(object), null, null],
  ["an optional field", z.object({ id: z.optional(z.string()) }), { ...secret }, {}],
  ["a record", z.record(z.string(), z.object({ n: z.number() })), { a: { n: 1, ...secret } }, { a: { n: 1 } }],
  ["a leaf", z.string(), "text", "text"],
])("a response body contains only the fields of its schema: %s", (_, schema, value, expected) => {
  expect(declaredFields(schema)(value)).toEqual(expected);
});

test("a response body contains no fields of a prototype", () => {
  expect(declaredFields(object)(Object.create({ id: "inherited" }))).toEqual({});
});

test("rejects a schema type that cannot be filtered when the function starts", () => {
  expect(() => declaredFields(z.union([z.string(), z.object({})]))).toThrow("type union");
});
