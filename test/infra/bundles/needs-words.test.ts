import { expect, test } from "vitest";
import * as z from "zod/mini";
import { needsWords } from "../../../infra/bundles/needs-words.ts";
import { api } from "../../../lambdas/api.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { text } from "../../../lambdas/shared/validation/fields.ts";

test("no endpoint of the package has words for checks in its bundle, because its schemas have their own messages", () => {
  expect(operationsOf(api).filter(({ endpoint }) => needsWords(endpoint))).toEqual([]);
});

test.each<[string, boolean, z.core.$ZodType]>([
  ["a text field with its own messages", false, z.optional(text({ min: 1, max: 9 }))],
  ["an enum with its own message", false, z.enum(["a"], "must be a.")],
  ["an enum", true, z.nullable(z.enum(["a"]))],
  ["an email address", true, z.email()],
  ["a check", true, z.string().check(z.minLength(1))],
  ["a check with its own message", false, z.string().check(z.minLength(1, "must not be empty."))],
  ["a nested check", true, z.object({ a: z.string().check(z.regex(/a/)) })],
  ["a whole number", true, z.pipe(z.transform(Number), z.int())],
])("a form with %s needs words: %s", (_, expected, schema) => {
  expect(needsWords({ form: z.object({ field: schema }) })).toBe(expected);
  expect(needsWords({ json: z.object({ field: schema }) })).toBe(true);
});
