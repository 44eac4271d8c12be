import fc from "fast-check";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { type Action, adminRoute } from "../../../lambdas/declaration/action.ts";
import type { ObjectSchema } from "../../../lambdas/declaration/endpoint.ts";
import * as tables from "../../../lambdas/resources/tables.ts";
import { exampleRequest } from "../../../lambdas/resources/tokens/tokens-table.ts";
import { operationExamples } from "../../support/examples.ts";
import { tokenNames } from "./case.ts";
import { secretText } from "./hostile-text.ts";

/** Plausible values of a field: those of an input that mostly passes validation. */
export type FieldValues = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const { token_id: exampleTokenId } = tables.tokens.example;
const { key_id: exampleKeyId, v_code: exampleVCode } = tables.keys.example;

/** The replacement for a value of an example, so that it refers to existing records, and a secret can be recognised. */
const substitutes = new Map<unknown, fc.Arbitrary<unknown>>([
  [exampleTokenId, fc.constantFrom(...tokenNames.map((name) => `<<${name}:id>>`), exampleTokenId, "<<active>>")],
  [exampleKeyId, fc.constantFrom(exampleKeyId, "another", "a/b", "a%2Fb", "a?b", "a+b", "a//b/", "..")],
  [exampleVCode, secretText],
]);

/** Values worth trying that cannot be derived from a schema. */
const hints: FieldValues = {
  ip: fc.constantFrom("203.0.113.1", exampleRequest.ip, "2001:DB8::1", "::ffff:203.0.113.2", "0.0.0.0", "10.0.0.0/8"),
  expires_at: fc.constantFrom(null, "2999-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "2000-01-01T00:00:00Z"),
  code: fc.constantFrom("K7P4XQ", "k7p-4xq", "AAA-AAA", "K7P-4X", "-", ""),
  cursor: fc.constantFrom("MTIzNDU2Nw", ""),
};

/** The part of a JSON Schema that values are derived from. */
const jsonSchema = z.object({
  type: z.optional(z.string()),
  default: z.optional(z.unknown()),
  examples: z.optional(z.array(z.unknown())),
  enum: z.optional(z.array(z.unknown())),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  minLength: z.optional(z.number()),
  maxLength: z.optional(z.number()),
  anyOf: z.optional(z.array(z.unknown())),
});

/** The values that a schema names, and those at and just beyond its bounds. */
const valuesOf = (schema: unknown): unknown[] => {
  const { type, examples = [], enum: members = [], anyOf = [], ...rest } = z.parse(jsonSchema, schema);
  const { minimum, maximum, minLength, maxLength } = rest;
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const lengths = [minLength, maxLength].filter((length) => length !== undefined);
  return [
    ...("default" in rest ? [rest.default] : []),
    ...examples,
    ...members,
    ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1, String(bound)]),
    ...lengths.flatMap((length) => ["x".repeat(length), "ü".repeat(length), "x".repeat(length + 1)]),
    ...(type === "null" ? [null] : []),
    ...(type === "boolean" ? [true, false] : []),
    ...anyOf.flatMap(valuesOf),
  ];
};

const fieldValues = (schema: ObjectSchema, example: Readonly<Record<string, unknown>>): FieldValues => {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const given = Object.hasOwn(example, name) ? [example[name]] : [];
      const values = [...given, ...valuesOf(property)];
      const substitute = values.map((value) => substitutes.get(value)).find((arbitrary) => arbitrary);
      const listed = values.length > 0 ? [fc.constantFrom(...values)] : [];
      const hinted = hints[name] ? [hints[name]] : [];
      return [
        name,
        substitute ?? fc.oneof(...hinted, ...listed, ...(hinted.length + listed.length > 0 ? [] : [fc.string()])),
      ];
    }),
  );
};

const actionList: [string, Action][] = Object.entries(actions);

/** The values of each action's fields. */
export const actionValues: Readonly<Record<string, FieldValues>> = Object.fromEntries(
  actionList.map(([name, { input, example }]) => [name, fieldValues(input, Object(example))]),
);

/** The values of the fields of each JSON body. */
export const jsonBodyValues: readonly FieldValues[] = actionList.flatMap(([name, { contract }]) => {
  const { method, path } = adminRoute(contract);
  const inBody = Object.entries(actionValues[name] ?? {}).filter(([field]) => !path.includes(`{${field}}`));
  return method === "POST" || method === "PUT" ? [Object.fromEntries(inBody)] : [];
});

const endpoints = operationExamples().map(({ operation }) => operation.endpoint);

/** The values of the fields of each form. */
export const formValues: readonly FieldValues[] = endpoints.flatMap(({ form, example }) =>
  form ? [fieldValues(form, example.form ?? {})] : [],
);

/** The values of the parameters of each query. */
export const queryValues: readonly FieldValues[] = [
  ...endpoints.flatMap(({ query, example }) => (query ? [fieldValues(query, example.query ?? {})] : [])),
  ...Object.values(actionValues),
];
