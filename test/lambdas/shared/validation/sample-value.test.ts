import { expect, test } from "vitest";
import * as classic from "zod";
import * as z from "zod/mini";
import { text, wholeNumber } from "../../../../lambdas/shared/validation/fields.ts";
import { sampleOf } from "../../../../lambdas/shared/validation/sample-value.ts";

const example = <T>(value: T) => z.meta({ examples: [value] });
const tree: z.core.$ZodType = z.object({ name: text({ min: 1, max: 9 }), children: z.array(z.lazy(() => tree)) });
const address = z.object({ city: z.string().check(example("Graz")), zip: z.optional(z.string()) });

test.each<[string, z.core.$ZodType, unknown]>([
  ["an example of the whole", z.object({ a: z.string() }).check(example({ a: "b" })), { a: "b" }],
  [
    "examples of nested parts",
    z.object({ to: z.nullable(z.optional(address)) }),
    { to: { city: "Graz", zip: "text" } },
  ],
  ["an example outside of optional", z.optional(z.string()).check(example("x")), "x"],
  ["the first value of an enum", z.enum(["open", "closed"]), "open"],
  ["a literal", z.literal("a"), "a"],
  ["a default", z._default(z.string(), "usual"), "usual"],
  ["the minimum", wholeNumber({ min: 3, max: 9 }), 3],
  ["a whole number without bounds", z.int(), 1],
  ["a number within its bounds", z.number().check(z.lt(0)), -1],
  ["a multiple", z.number().check(z.positive(), z.multipleOf(0.5)), 0.5],
  ["a string of a permitted length", text({ min: 6, max: 6 }), "textxx"],
  ["a string of a pattern", z.string().check(z.regex(/^\d+\.\d{2}$/)), "1.00"],
  ["a format", z.array(z.uuid()).check(z.minLength(2)), Array(2).fill("0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d")],
  ["a boolean and a null", z.tuple([z.boolean(), z.null()]), [true, null]],
  ["a union", z.union([z.null(), z.number(), z.string()]), 1],
  ["a record", z.record(z.enum(["a", "b"]), z.number()), { a: 1, b: 1 }],
  ["a record of any names", z.record(z.string(), address), { text: { city: "Graz", zip: "text" } }],
  ["a tree", tree, { name: "text", children: [{ name: "text", children: [] }] }],
  [
    "a classic schema",
    classic.object({ at: classic.iso.date(), n: classic.number().min(2).nullable() }),
    { at: "2026-11-21", n: 2 },
  ],
])("a sample has %s, and is valid", (_, schema, expected) => {
  expect(sampleOf(schema)).toEqual(expected);
  expect(z.safeParse(schema, expected)).toMatchObject({ success: true, data: expected });
});

test("a sample names the strings that it had to invent", () => {
  const invented: string[] = [];
  const schema = z.object({ a: address, lines: z.array(z.object({ sku: z.string(), id: z.uuid() })) });
  sampleOf(schema, { onInvented: (path) => invented.push(path) });
  expect(invented).toEqual(["a.zip", "lines.sku"]);
});
