import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type * as z from "zod/mini";
import { definitionOf } from "../shared/validation/definition.ts";

/** Converts the values of one schema to DynamoDB's attribute values and back. */
export interface AttributeCodec {
  /** The type of a key with this schema. Other types cannot be keys. */
  keyType?: "S" | "N";
  encode(value: unknown): AttributeValue;
  /** Checks the type of a stored value, but no other rule. Returns `undefined` if the schema's values are not stored like this. */
  decode(attribute: AttributeValue): unknown;
}

/** How a table stores the values of its records. */
export interface Codec {
  of(schema: z.core.$ZodType): AttributeCodec;
  isSame(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean;
}

/**
 * Stores strings and numbers, which is all that the built-in tables have. It is small, because every function contains it.
 *
 * @throws {Error} for the schema of any other value
 */
export const flatCodec: Codec = {
  of(schema) {
    const def = definitionOf(schema);
    if (def.type === "optional" || def.type === "default") return flatCodec.of(def.innerType);
    if (def.type === "number") return number;
    if (def.type === "string" || def.type === "enum") return text;
    throw new Error(`It must be text, an enum or a number, and its schema is of the type ${def.type}.`);
  },
  isSame: (one, other) => one?.S === other?.S && one?.N === other?.N,
};

export const text: AttributeCodec = {
  keyType: "S",
  encode: (value) => ({ S: String(value) }),
  decode: ({ S }) => (typeof S === "string" && S.isWellFormed() ? S : undefined),
};

export const number: AttributeCodec = {
  keyType: "N",
  encode: (value) => ({ N: String(value) }),
  decode: ({ N }) => {
    const value = typeof N === "string" && N.trim() !== "" ? Number(N) : Number.NaN;
    const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
    return isExact ? value : undefined;
  },
};

/** Returns the attribute value of a value without a schema. `Set` stands for a set of strings. */
export const toAttribute = (value: unknown): AttributeValue => {
  if (value instanceof Set) return { SS: [...value] };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "string") return { S: value };
  throw new TypeError("A value is neither a string nor a number.");
};
