import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { api } from "../../../lambdas/api.ts";
import type { Action } from "../../../lambdas/declaration/action.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { declaredFields } from "../../../lambdas/validation/response-body.ts";

const secret = { internal_note: "not for clients" };

describe("a response body has the fields of its schema and no others", () => {
  test.each<[string, z.ZodMiniType, unknown, unknown]>([
    ["an object", z.object({ id: z.string() }), { id: "1", ...secret }, { id: "1" }],
    ["a strict object", z.strictObject({ id: z.string() }), { id: "1", ...secret }, { id: "1" }],
    ["an array", z.array(z.object({ id: z.string() })), [{ id: "1", ...secret }], [{ id: "1" }]],
    [
      "a nested object",
      z.object({ at: z.object({ ip: z.string() }) }),
      { at: { ip: "x", ...secret } },
      { at: { ip: "x" } },
    ],
    ["a nullable object", z.nullable(z.object({ id: z.string() })), { id: "1", ...secret }, { id: "1" }],
    ["null", z.nullable(z.object({ id: z.string() })), null, null],
    ["an optional field", z.object({ id: z.optional(z.string()) }), { ...secret }, {}],
    ["a record", z.record(z.string(), z.object({ n: z.number() })), { a: { n: 1, ...secret } }, { a: { n: 1 } }],
    ["a leaf", z.string(), "text", "text"],
  ])("%s", (_, schema, value, expected) => {
    expect(declaredFields(schema)(value)).toEqual(expected);
  });

  test("and none from its prototype", () => {
    expect(declaredFields(z.object({ id: z.string() }))(Object.create({ id: "inherited" }))).toEqual({});
  });
});

test("a type of schema that cannot be filtered is refused when the function starts", () => {
  expect(() => declaredFields(z.union([z.string(), z.object({})]))).toThrow("type union");
});

test("every declared response can be filtered", () => {
  const bodies = [
    ...operationsOf(api).flatMap(({ endpoint }) => Object.values(endpoint.responses).map(({ body }) => body)),
    ...Object.values<Action>(actions).map(({ contract }) => contract.response),
  ].filter((body) => body !== undefined);

  expect(bodies.length).toBeGreaterThan(10);
  for (const body of bodies) expect(() => declaredFields(body)).not.toThrow();
});
