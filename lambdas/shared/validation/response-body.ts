import * as z from "zod/mini";
import { definitionOf } from "./definition.ts";

/** Copies only the declared fields of a value. */
export type DeclaredFields = (value: unknown) => unknown;

/**
 * Returns a function that reduces a response body to the fields of its schema, at every level. It does not validate, because bodies
 * come from the service's own records, which were checked when they were read.
 *
 * @throws {Error} for a kind of schema whose fields it cannot follow, so that a function fails to start instead of sending
 * undeclared fields.
 * @example declaredFields(z.object({ id: z.string() }))({ id: "1", secret: "x" }) // { id: "1" }
 */
export const declaredFields = (schema: z.core.$ZodType): DeclaredFields => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return objectFields(def.shape);
    case "array": {
      const copy = declaredFields(def.element);
      return (value) => (Array.isArray(value) ? value.map(copy) : value);
    }
    case "record": {
      const copy = declaredFields(def.valueType);
      return (value) =>
        isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copy(part)])) : value;
    }
    case "default":
    case "nullable":
    case "optional":
    case "readonly":
      return declaredFields(def.innerType);
    case "string":
    case "number":
    case "boolean":
    case "enum":
    case "literal":
    case "null":
    case "unknown":
      return wholeValue;
    case "union":
      if (def.options.some((option) => declaredFields(option) !== wholeValue)) {
        throw new Error("A response cannot have a schema of the type union with fields: see response-body.ts.");
      }
      return wholeValue;
    default:
      throw new Error(`A response cannot have a schema of the type ${def.type}: see response-body.ts.`);
  }
};

/** The format of a string that only its receiver may see. In OpenAPI, it is a hint to mask the string. */
export const secretFormat = "password";

/** Checks whether a response body has a field with the secret format, at any level. */
export const hasSecret = (schema: z.core.$ZodType): boolean => {
  if (z.globalRegistry.get(schema)?.format === secretFormat) return true;
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return Object.values(def.shape).some(hasSecret);
    case "array":
      return hasSecret(def.element);
    case "record":
      return hasSecret(def.valueType);
    case "default":
    case "nullable":
    case "optional":
    case "readonly":
      return hasSecret(def.innerType);
    case "union":
      return def.options.some(hasSecret);
    default:
      return false;
  }
};

/** Copies a value that has no fields. */
const wholeValue: DeclaredFields = (value) => value;

const objectFields = (shape: Readonly<Record<string, z.core.$ZodType>>): DeclaredFields => {
  const fields = Object.entries(shape).map(([name, schema]): Field => ({ name, copy: declaredFields(schema) }));
  return (value) => {
    if (!isObject(value)) return value;
    // Records usually have exactly the declared fields, in the same order. Checking that is much cheaper than copying them.
    let place = 0;
    for (const name in value) {
      const field = fields[place];
      if (field?.name !== name) return copyOf(value, fields);
      if (field.copy !== wholeValue && field.copy(value[name]) !== value[name]) return copyOf(value, fields);
      place += 1;
    }
    return value;
  };
};

interface Field {
  name: string;
  copy: DeclaredFields;
}

const copyOf = (value: Record<string, unknown>, fields: readonly Field[]): unknown => {
  const copied: Record<string, unknown> = {};
  for (const { name, copy } of fields) {
    if (Object.hasOwn(value, name)) copied[name] = copy(value[name]);
  }
  return copied;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
