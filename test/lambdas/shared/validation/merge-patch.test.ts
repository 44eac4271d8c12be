import { expect, expectTypeOf, test } from "vitest";
import * as classic from "zod";
import * as z from "zod/mini";
import { mergePatch, type Patch, patchOf } from "../../../../lambdas/shared/validation/merge-patch.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";

/** The examples in appendix A of RFC 7396: the original, the patch and the result. */
test.each<[string, unknown, unknown, unknown]>([
  ["replaces a member", { a: "b" }, { a: "c" }, { a: "c" }],
  ["adds a member", { a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  ["removes the only member", { a: "b" }, { a: null }, {}],
  ["removes one of two members", { a: "b", b: "c" }, { a: null }, { b: "c" }],
  ["replaces a list by a string", { a: ["b"] }, { a: "c" }, { a: "c" }],
  ["replaces a string by a list", { a: "c" }, { a: ["b"] }, { a: ["b"] }],
  ["merges nested objects", { a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  ["replaces a list of objects", { a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  ["replaces a list", ["a", "b"], ["c", "d"], ["c", "d"]],
  ["replaces an object by a list", { a: "b" }, ["c"], ["c"]],
  ["replaces an object by null", { a: "foo" }, null, null],
  ["replaces an object by a string", { a: "foo" }, "bar", "bar"],
  ["keeps a null that was stored", { e: null }, { a: 1 }, { e: null, a: 1 }],
  ["replaces a list by an object", [1, 2], { a: "b", c: null }, { a: "b" }],
  ["removes nulls of an object that is new", {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("a merge patch %s", (_, stored, patch, expected) => {
  expect(mergePatch(Object(stored) === stored ? Object(stored) : {}, patch as object)).toEqual(expected);
});

test("a merge patch changes neither its inputs nor any prototype", () => {
  const stored = Object.freeze({ a: Object.freeze({ b: 1 }) });
  const patch = JSON.parse(
    '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
  );
  const result = mergePatch(stored, patch);
  for (const one of [{}, result, result.a]) expect(one).not.toHaveProperty("polluted");
  expect(Object.keys(result.a)).toEqual(["b", "__proto__", "constructor"]);
});

const address = z.object({ city: z.string(), zip: z.optional(z.string()) }).check(z.meta({ id: "Address" }));
const shipment = z
  .object({
    name: z.string(),
    status: z._default(z.enum(["open", "closed"]), "open"),
    note: z.optional(z.string()).check(z.meta({ description: "For the driver." })),
    weight: z.nullable(z.number()),
    address,
    sender: z.optional(address),
    lines: z.array(z.object({ sku: z.string() })),
    labels: z.record(z.string(), z.string()),
  })
  .check(z.refine(({ name, note }) => name !== note));
const patchSchema = patchOf(shipment);

test.each<object>([
  {},
  { name: "x", status: "closed" },
  { note: null, weight: null, sender: null },
  { address: { zip: null }, sender: { zip: null }, lines: [], labels: { red: null, blue: "1" } },
])("the schema of a patch accepts %j as it is", (patch) => {
  expect(validate(patchSchema, patch)).toEqual({ valid: true, value: patch });
});

test.each<[object, string, string]>([
  [{ name: null }, "name", "field is required."],
  [{ status: null }, "status", "field is required."],
  [{ address: null }, "address", "field is required."],
  [{ address: { city: null } }, "address.city", "field is required."],
  [{ lines: null }, "lines", "field is required."],
  [{ lines: [{}] }, "lines.0.sku", "field is required."],
  [{ name: 1 }, "name", "must be a string."],
])("the schema of a patch rejects %j", (patch, path, problem) => {
  expect(validate(patchSchema, patch)).toMatchObject({ fields: { [path]: [`The ${path} ${problem}`] } });
});

test("null clears a member that must exist, and removes one that is optional", () => {
  const kept = { name: "a", status: "open" as const, lines: [], labels: {} };
  const stored: z.output<typeof shipment> = { ...kept, note: "b", weight: 1, address: { city: "c", zip: "d" } };
  const patch = { weight: null, note: null, address: { zip: null } };
  const nullish = z.object({ a: z.nullish(z.number()) });
  expect(mergePatch<z.output<typeof nullish>>({ a: 1 }, { a: null }, nullish)).toStrictEqual({});
  expect(mergePatch(stored, patch, shipment)).toStrictEqual({ ...kept, weight: null, address: { city: "c" } });
});

const parcel = z.object({
  boxes: z.record(z.enum(["left", "right"]), z.nullable(z.object({ weight: z.nullable(z.number()), sku: z.string() }))),
  address: z.readonly(z.object({ city: z.string(), floor: z.nullable(z.number()) })),
});

test("a patch changes some members of maps and of read-only objects", () => {
  const stored: z.output<typeof parcel> = {
    boxes: { left: { weight: 1, sku: "a" }, right: null },
    address: { city: "c", floor: 2 },
  };
  const patch = { boxes: { left: { weight: null } }, address: { floor: null } };
  expect(validate(patchOf(parcel), patch)).toEqual({ valid: true, value: patch });
  expect(mergePatch(stored, patch, parcel)).toStrictEqual({
    boxes: { left: { weight: null, sku: "a" }, right: null },
    address: { city: "c", floor: null },
  });
  expectTypeOf<z.output<ReturnType<typeof patchOf<typeof parcel>>>>().toExtend<Patch<z.output<typeof parcel>>>();
});

test("a patch rejects members that the schema rejects", () => {
  const strict = z.object({ name: z.string(), address: z.strictObject({ city: z.string() }) });
  expect(validate(patchOf(strict), { address: { town: "x" } })).toMatchObject({ valid: false });
  expect(validate(patchOf(parcel), { boxes: { middle: { sku: "x" } } })).toMatchObject({ valid: false });
});

test("a patch of a classic schema accepts the same values, and keeps descriptions but not component names", () => {
  const schema = classic.object({ name: classic.string(), note: classic.string().optional().describe("A note.") });
  expect(validate(patchOf(schema), { note: null })).toEqual({ valid: true, value: { note: null } });
  expect(z.toJSONSchema(patchOf(schema))).toHaveProperty("properties.note.description", "A note.");
  expect(JSON.stringify(z.toJSONSchema(patchSchema))).not.toContain("Address");
  expect(() => patchOf(z.object({ a: z.union([address, z.null()]) }))).toThrow("union");
});

test("the types of a patch follow the schema", () => {
  expectTypeOf<z.output<typeof patchSchema>>().toExtend<Patch<z.output<typeof shipment>>>();
  expectTypeOf<{ note: null; address: { zip: null } }>().toExtend<Patch<z.output<typeof shipment>>>();
  expectTypeOf<{ name: null }>().not.toExtend<Patch<z.output<typeof shipment>>>();
  expectTypeOf<{ lines: { sku: null }[] }>().not.toExtend<Patch<z.output<typeof shipment>>>();
});
