import fc from "fast-check";
import { expect, test } from "vitest";
import * as classic from "zod";
import * as z from "zod/mini";
import { text } from "../../../../lambdas/shared/validation/fields.ts";
import { wordIssue } from "../../../../lambdas/shared/validation/issue-words.ts";
import { declaredFields } from "../../../../lambdas/shared/validation/response-body.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";

const form = z.object({ name: text({ min: 1, max: 255 }), code: text({ min: 64, max: 64 }) });

/** Returns the messages for invalid fields, or none if all are valid. */
const messagesOf = (fields: unknown, schema: z.core.$ZodObject = form) => {
  const result = validate(schema, fields, { words: wordIssue });
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
  expect(messagesOf({ in: { a: "1", b: 1 } }, z.object({ in: schema }))).toEqual({
    "in.b": ["The in.b field is not known."],
  });
});

test("reports that the input must be an object", () => {
  for (const input of [[], "text", null, 5])
    expect(messagesOf(input)).toEqual({ input: ["The input must be an object."] });
});

const address = z.object({ city: text({ min: 1, max: 9 }), zip: z.optional(z.string()) });
const order = z.object({
  address,
  lines: z.array(z.object({ sku: z.string(), quantity: z.int() })).check(z.minLength(1)),
  labels: z.optional(z.record(z.string().check(z.maxLength(3)), z.boolean())),
});

test("names nested fields by their path, also missing ones, and ignores unknown ones", () => {
  const lines = [{ sku: 1, quantity: 0.5 }, { sku: "a", quantity: 1, more: 1 }, null];
  expect(messagesOf({ address: { zip: null }, lines, labels: { long: true, ok: "x" } }, order)).toEqual({
    "address.city": ["The address.city field is required."],
    "address.zip": ["The address.zip must be a string."],
    "lines.0.sku": ["The lines.0.sku must be a string."],
    "lines.0.quantity": ["The lines.0.quantity must be a whole number."],
    "lines.2": ["The lines.2 must be an object."],
    "labels.long": ["The labels.long does not have a permitted name."],
    "labels.ok": ["The labels.ok must be true or false."],
  });
  expect(messagesOf({ lines: [] }, order)).toEqual({
    address: ["The address field is required."],
    lines: ["The lines must have at least 1 item."],
  });
});

const bothWays = [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })] as const;

test.each<[z.core.$ZodType, unknown, string]>([
  [z.boolean(), "true", "must be true or false."],
  [z.array(z.string()), "a", "must be a list."],
  [z.object({}), [], "must be an object."],
  [z.int(), 1.5, "must be a whole number."],
  [z.number(), "1", "must be a number."],
  [z.null(), 1, "must be null."],
  [z.never(), 1, "must not be sent."],
  [z.enum(["open", "closed"]), "x", "must be one of open, closed."],
  [z.enum(["open", "closed"]), undefined, "field is required."],
  [z.literal("a"), "x", "must be a."],
  [z.literal([1, 2]), "x", "must be one of 1, 2."],
  [z.string().check(z.minLength(2)), "", "must be at least 2 characters."],
  [z.string().check(z.maxLength(1)), "ab", "must be at most 1 character."],
  [z.string().check(z.length(3)), "ab", "must be 3 characters."],
  [z.number().check(z.gte(2)), 1, "must be at least 2."],
  [z.number().check(z.gt(2)), 2, "must be more than 2."],
  [z.number().check(z.lte(2)), 3, "must be at most 2."],
  [z.number().check(z.lt(2)), 2, "must be less than 2."],
  [z.number().check(z.multipleOf(0.5)), 0.7, "must be a multiple of 0.5."],
  [z.array(z.string()).check(z.maxLength(1)), ["a", "b"], "must have at most 1 item."],
  [z.array(z.string()).check(z.length(2)), ["a"], "must have 2 items."],
  [z.uuid(), "x", "must be a UUID."],
  [z.email(), "x", "must be an email address."],
  [z.url(), "x", "must be a URL."],
  [z.ulid(), "x", "must be a ULID."],
  [z.ipv4(), "x", "must be an IPv4 address."],
  [z.base64(), "!", "must be a valid base64."],
  [z.iso.date(), "x", "must be a date, such as 2026-11-21."],
  [z.iso.datetime(), "x", "must be a time, such as 2026-11-21T10:15:30.123Z."],
  [z.string().check(z.regex(/^\d$/)), "x", "must match /^\\d$/."],
  [z.string().check(z.startsWith("a")), "x", "must start with a."],
  [z.string().check(z.includes("a")), "x", "must contain a."],
  [z.string().check(z.lowercase()), "A", "must be in lower case."],
  [z.string().check(z.refine(() => false)), "x", "is not valid."],
  [z.string().check(z.refine(() => false, "must be mine.")), "x", "must be mine."],
  [z.union([z.string(), z.int()]), true, "must be a string or a number."],
  [z.union(bothWays), { kind: "c" }, "does not have one of its permitted forms."],
  [classic.email(), "x", "must be an email address."],
  [classic.string().min(2), "", "must be at least 2 characters."],
  [classic.enum(["open", "closed"]), "x", "must be one of open, closed."],
])("says what is wrong in the product's words: %#", (schema, value, problem) => {
  expect(messagesOf({ f: value }, z.object({ f: schema }))).toEqual({ f: [`The f ${problem}`] });
});

test("names the field that tells the forms of a union apart", () => {
  const schema = z.object({ f: z.discriminatedUnion("kind", bothWays) });
  expect(messagesOf({ f: { kind: "c" } }, schema)).toEqual({ "f.kind": ["The f.kind must be one of a, b."] });
  expect(messagesOf({ f: {} }, schema)).toEqual({ "f.kind": ["The f.kind field is required."] });
});

test("a broken rule about several fields is reported for the whole object", () => {
  const schema = order.check(z.refine(({ lines }) => lines.length > 1, "must have more lines than addresses."));
  const result = validate(schema, { address: { city: "Graz" }, lines: [{ sku: "a", quantity: 1 }] }, { whole: "body" });
  expect(result).toMatchObject({ fields: { body: ["The body must have more lines than addresses."] } });
});

test("in a form, a list means that a field was sent more than once", () => {
  const schema = z.object({ status: z.enum(["open"]), name: z.string() });
  const result = validate(schema, { status: ["open", "open"], name: ["a"] }, { isForm: true });
  expect(result).toMatchObject({ fields: { status: ["The status must be sent once."], name: [expect.any(String)] } });
});

test("returns at most 100 messages, however many fields are invalid", () => {
  const invalid = (length: number) => messagesOf({ address: { city: "Graz" }, lines: Array(length).fill({}) }, order);
  expect(Object.keys(invalid(1_000))).toHaveLength(100);
  // zod passes the problems of a list on as arguments, of which a call may have some 100,000.
  const overflow = z.object({ f: z.any().check(z.refine(() => Math.max(...Array<number>(10_000_000)) > 0)) });
  expect(messagesOf({ f: 1 }, overflow)).toEqual({ input: ["The input has too many invalid fields."] });
});

const secret = { internal_note: "not for clients" };

const object = z.object({ id: z.string() });

test.each<[string, z.core.$ZodType, unknown, unknown]>([
  ["an object", object, { id: "1", ...secret }, { id: "1" }],
  ["a strict object", z.strictObject({ id: z.string() }), { id: "1", ...secret }, { id: "1" }],
  ["an array", z.array(object), [{ id: "1", ...secret }], [{ id: "1" }]],
  ["a nested object", z.object({ at: object }), { at: { id: "1", ...secret } }, { at: { id: "1" } }],
  ["a nullable object", z.nullable(object), { id: "1", ...secret }, { id: "1" }],
  ["null", z.nullable(object), null, null],
  ["an object with a default", z._default(object, { id: "1" }), { id: "1", ...secret }, { id: "1" }],
  ["an object of classic zod", classic.object({ id: classic.string() }).nullish(), { id: "1", ...secret }, { id: "1" }],
  ["an optional field", z.object({ id: z.optional(z.string()) }), { ...secret }, {}],
  ["a record", z.record(z.string(), z.object({ n: z.number() })), { a: { n: 1, ...secret } }, { a: { n: 1 } }],
  ["a leaf", z.string(), "text", "text"],
])("a response body contains only the fields of its schema: %s", (_, schema, value, expected) => {
  expect(declaredFields(schema)(value)).toEqual(expected);
});

test("a response body contains no inherited fields", () => {
  expect(declaredFields(object)(Object.create({ id: "inherited" }))).toEqual({});
});

test("rejects a schema type that cannot be filtered when the function starts", () => {
  expect(() => declaredFields(z.union([z.string(), z.object({})]))).toThrow("type union");
});
