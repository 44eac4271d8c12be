import * as z from "zod/mini";
import { invokedBy } from "../../lambdas/admin/admin-fields.ts";
import type { Action } from "../../lambdas/declaration/action.ts";

/** A schema as JSON Schema, limited to what the command needs. */
export type Schema = z.core.JSONSchema.BaseSchema;

export interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/**
 * Returns the fields that an action declares, and the field that every invocation has. `user` is the default of that last field.
 */
export const fieldsOf = ({ input }: Pick<Action, "input">, user: string | undefined): Field[] => [
  ...fieldsIn(jsonSchemaOf(input)),
  {
    name: "invoked_by",
    schema: { ...jsonSchemaOf(invokedBy), ...(user !== undefined && { default: user }) },
    isRequired: false,
  },
];

/** Returns the fields of an object schema. */
export const fieldsIn = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === "boolean" ? [] : [{ name, schema, isRequired: required.includes(name) }],
  );

export const jsonSchemaOf = (schema: z.ZodMiniType | Action["input"]): Schema =>
  z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // Zod omits the default if the schema also converts its input.
      if (zodSchema._zod.def.type === "default") jsonSchema.default = zodSchema._zod.def.defaultValue;
    },
  });

/** Removes `null` from a schema that allows it. */
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

const exampleTime = "2027-01-01T00:00:00Z";

/** Describes a type in words, such as `text, 1 to 255 characters` or `whole number, 1 to 1000, or null`. */
export const describeType = (field: Schema): string => {
  const { schema, isNullable } = splitNull(field);
  const words = describePresent(schema);
  if (!isNullable) return words;
  return words.includes(" ") ? `${words}, or null` : `${words} or null`;
};

const describePresent = (schema: Schema): string => {
  const { anyOf, type, enum: values, format, minimum, maximum, items, additionalProperties } = schema;
  if (values !== undefined)
    return values
      .map(String)
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1");
  if (format === "date-time") return `time, such as ${exampleTime}`;
  if (format === "ulid") return "id, 26 characters";
  if (type === "string") return `text${describeLength(schema)}`;
  if (type === "integer" || type === "number") {
    const kind = type === "integer" ? "whole number" : "number";
    return minimum === undefined || maximum === undefined ? kind : `${kind}, ${minimum} to ${maximum}`;
  }
  if (type === "boolean") return "true or false";
  if (type === "array" && isSchema(items)) return items.type === "object" ? "list" : `list: ${describeType(items)}`;
  if (type === "object")
    return isSchema(additionalProperties) ? `${describeType(additionalProperties)} by name` : "object";
  if (anyOf !== undefined) return anyOf.map(describeType).join(" or ");
  if (Object.keys(schema).length === 0) return "any value";
  throw new Error(`The help cannot describe the type ${JSON.stringify(schema)}: see describeType.`);
};

const describeLength = ({ minLength, maxLength }: Schema): string => {
  if (maxLength === undefined) return "";
  if (minLength === maxLength) return `, ${maxLength} characters`;
  return minLength ? `, ${minLength} to ${maxLength} characters` : `, up to ${maxLength} characters`;
};

/** Returns the fields of a result, each with its depth and type. */
export const describeResult = (result: Schema, depth = 0): { name: string; depth: number; type: string }[] => {
  const { schema } = splitNull(result);
  const { items } = schema;
  return fieldsIn(isSchema(items) ? items : schema).flatMap(({ name, schema }) => [
    { name, depth, type: describeType(schema) },
    ...describeResult(schema, depth + 1),
  ]);
};

const isSchema = (part: unknown): part is Schema => typeof part === "object" && part !== null && !Array.isArray(part);
