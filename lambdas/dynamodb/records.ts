import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { ApiError } from "../shared/errors/api-error.ts";
import { definitionOf, unwrap } from "../shared/validation/definition.ts";
import { type AttributeCodec, type Codec, flatCodec, toAttribute } from "./attributes.ts";

/** An item as DynamoDB stores it. */
export type Item = Record<string, AttributeValue>;

/** The schema of a table's records. */
export type RecordSchema<R extends object = object> = z.core.$ZodObject<Readonly<Record<string, z.core.$ZodType>>> & {
  readonly _zod: { readonly output: R };
};

/** Reads an item as a record: see `recordReader`. */
export type ReadRecord<R extends object> = (item: Item) => R;

interface ReaderOptions {
  /** Checks each field with its schema. Otherwise, only the types of stored values matter. */
  strictly: boolean;
  /** The field that identifies a record, for the error's cause. */
  key?: string;
  /** How the fields are stored. Default: as strings and numbers. */
  codec?: Codec;
}

/**
 * Returns a function that reads the declared fields of an item, and no others.
 *
 * That function throws `ApiError` `unavailable`, with a cause that names the field, if a required field is missing or if a field
 * is stored with another type. A damaged record must never be acted on: for example, an unreadable `revoked_at` must not make a
 * token active. Reading strictly also checks the rules of each field. Other tables do without, so that records which a later
 * release would no longer accept can still be read.
 */
export const recordReader = <R extends object>(
  schema: RecordSchema<R>,
  { strictly, key, codec = flatCodec }: ReaderOptions,
): ReadRecord<R> => {
  const fields = Object.entries(schema._zod.def.shape).map(
    ([name, field]) => [name, { ...fieldCodec(field, codec), schema: field }] as const,
  );
  const identify = (item: Item) => (key === undefined ? "" : ` Its ${key} is ${JSON.stringify(item[key]?.S)}.`);

  return (item) => {
    const record: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      const attribute = item[name];
      const value = attribute === undefined ? field.missing() : field.decode(attribute);
      const problem = problemOf(value, field, { strictly, isMissing: attribute === undefined });
      if (problem !== undefined) throw invalidResponse(`The item's ${name} ${problem}${identify(item)}`);
      if (value !== undefined) record[name] = value;
    }
    return record as R;
  };
};

/** The codec of a field. */
export interface FieldCodec extends AttributeCodec {
  /** Whether the field may be missing. */
  isOptional: boolean;
  /** Returns the value of a missing field: its default, or `undefined`. */
  missing(): unknown;
}

/** Returns the codec of a field. */
export const fieldCodec = (schema: z.core.$ZodType, codec: Codec): FieldCodec => {
  const { isOptional, wrappers } = unwrap(schema);
  const usual = wrappers.map(definitionOf).find(({ type }) => type === "default");
  return {
    ...codec.of(schema),
    isOptional,
    missing: () => (usual?.type === "default" ? usual.defaultValue : undefined),
  };
};

/** Returns what is wrong with a value that was read, as the end of a sentence. */
const problemOf = (
  value: unknown,
  { schema, isOptional }: { schema: z.core.$ZodType; isOptional: boolean },
  { strictly, isMissing }: { strictly: boolean; isMissing: boolean },
): string | undefined => {
  if (value === undefined) return isMissing ? (isOptional ? undefined : "is missing.") : "has another type.";
  if (!strictly) return undefined;
  const [issue] = z.safeParse(schema, value).error?.issues ?? [];
  return issue?.message;
};

/**
 * Reads an attribute that an item must have, strictly.
 *
 * @throws {ApiError} `unavailable` if the attribute is missing or is not what the schema describes
 */
export const readAttribute = <Schema extends z.core.$ZodType>(
  item: Item,
  name: string,
  schema: Schema,
): z.output<Schema> => {
  const attribute = item[name];
  const value = attribute && flatCodec.of(schema).decode(attribute);
  const isMissing = attribute === undefined;
  const problem = problemOf(value, { schema, isOptional: false }, { strictly: true, isMissing });
  if (problem !== undefined) throw invalidResponse(`The item's ${name} ${problem}`);
  return value as z.output<Schema>;
};

/** Reads an attribute that the item may lack. */
export const readOptional = <Schema extends z.core.$ZodType>(
  item: Item,
  name: string,
  schema: Schema,
): z.output<Schema> | undefined => (item[name] === undefined ? undefined : readAttribute(item, name, schema));

/** The values that a store writes, by the attribute's name. Undefined values are left out. */
export type Values = Readonly<Record<string, unknown>>;

/** Converts values to attributes, those of a record by its schema. */
export const toItem = (values: Values, schema?: RecordSchema, codec = flatCodec): Item =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const field = schema?._zod.def.shape[name];
      return [[name, field === undefined ? toAttribute(value) : codec.of(field).encode(value)]];
    }),
  );

/** Returns attributes under the names that expressions use for values: `:name`. */
export const toPlaceholders = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [`:${name}`, value]));

/** Creates the error for a DynamoDB response that must not be acted on. */
export const invalidResponse = (problem: string): ApiError =>
  new ApiError("unavailable", { cause: new Error(problem) });
