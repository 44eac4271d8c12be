import * as z from "zod/mini";
import { invokedBy } from "../../lambdas/admin/fields.ts";
import type { Action } from "../../lambdas/declaration/action.ts";

/** A schema as JSON Schema, as far as the command needs it. */
export type Schema = z.core.JSONSchema.BaseSchema;

export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** The fields of an action, from its declaration, and the one of every invocation, for which `user` is the default. */
export const fieldsOf = ({ input }: Pick<Action, "input">, user: string | undefined): Field[] => [
  ...fieldsIn(jsonSchemaOf(input)),
  {
    name: "invoked_by",
    schema: { ...jsonSchemaOf(invokedBy), ...(user !== undefined && { default: user }) },
    isRequired: false,
  },
];

/** The fields of a schema for objects. */
export const fieldsIn = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === "boolean" ? [] : [{ name, schema, isRequired: required.includes(name) }],
  );

export const jsonSchemaOf = (schema: z.ZodMiniType | Action["input"]): Schema =>
  z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // Left out by default where the schema also converts its input.
      if (zodSchema._zod.def.type === "default") jsonSchema.default = zodSchema._zod.def.defaultValue;
    },
  });

/** Takes the `null` out of a schema that allows it. */
export const splitNull = (schema: Schema): { schema: Schema; isNullable: boolean } => {
  const { anyOf, type } = schema;
  if (Array.isArray(type) && type.includes("null")) {
    const [other] = type.filter((one) => one !== "null");
    return { schema: { ...schema, ...(other && { type: other }) }, isNullable: true };
  }
  if (!anyOf?.some(({ type }) => type === "null")) return { schema, isNullable: false };
  const [other = {}] = anyOf.filter(({ type }) => type !== "null");
  return { schema: { ...schema, ...other }, isNullable: true };
};
