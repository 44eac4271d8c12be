import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../shared/errors/api-error.ts";
import type { Format, OptionalFormat, RequiredFormat } from "./formats.ts";

/** An item as DynamoDB stores it. */
export type Item = Record<string, AttributeValue>;

/**
 * The formats of a record's fields, by name.
 *
 * @example const fields: FieldsOf<{ id: string; ends_at?: string }> = { id: text(), ends_at: optional(time) };
 */
export type FieldsOf<R extends object> = {
  [Name in keyof R]-?: Record<never, never> extends Pick<R, Name>
    ? OptionalFormat<Exclude<R[Name], undefined> & (string | number)>
    : RequiredFormat<R[Name] & (string | number)>;
};

/** The formats of the fields of any record. */
export type AnyFields = Readonly<Record<string, Format>>;

type ValueOf<F> = F extends Format<infer Value> ? Value : never;

/** The record type whose fields have these formats. */
export type RecordOf<Fields extends AnyFields> = {
  [Name in keyof Fields as Fields[Name] extends { optional: false } ? Name : never]: ValueOf<Fields[Name]>;
} & {
  [Name in keyof Fields as Fields[Name] extends { optional: false } ? never : Name]?: ValueOf<Fields[Name]>;
};

/** Reads an item as a record: see `recordReader`. */
export type ReadRecord<R extends object> = (item: Item) => R;

/**
 * Returns a function that reads the declared fields of an item, and no others.
 *
 * That function throws `ApiError` `unavailable`, with a cause that names the field, if a required field is missing or if any field
 * does not have its format. A damaged record must never be acted on: for example, an unreadable `revoked_at` must not make a token
 * active.
 *
 * @param key the field that identifies a record, for the error's cause
 */
export const recordReader = <R extends object>(fields: FieldsOf<R>, key?: string): ReadRecord<R> => {
  const declared = Object.entries<Format>(fields);

  return (item) => {
    const record: Record<string, string | number> = {};
    for (const [name, format] of declared) {
      if (format.optional && item[name] === undefined) continue;
      record[name] = readAttribute(item, name, format, key);
    }
    return record as R;
  };
};

/**
 * Reads an attribute that an item must have.
 *
 * @param key the field that identifies a record, for the error's cause
 * @throws {ApiError} `unavailable` if the attribute is missing or does not have its format
 */
export const readAttribute = <Value extends string | number>(
  item: Item,
  name: string,
  { kind, description, read }: Format<Value>,
  key?: string,
): Value => {
  const attribute = item[name];
  const stored = kind === "number" ? attribute?.N : attribute?.S;
  const value = typeof stored === "string" ? read(stored) : undefined;
  if (value !== undefined) return value;
  const which = key === undefined ? "" : ` Its ${key} is ${JSON.stringify(item[key]?.S)}.`;
  throw invalidResponse(`The item's ${name} is not ${description}.${which}`);
};

/** Reads an attribute that the item may lack. */
export const readOptional = <Value extends string | number>(
  item: Item,
  name: string,
  format: Format<Value>,
): Value | undefined => (item[name] === undefined ? undefined : readAttribute(item, name, format));

/** The values that a store writes: strings, numbers and sets of strings. */
export type Values = Readonly<Record<string, string | number | ReadonlySet<string> | undefined>>;

/** Converts values to attributes. Leaves out undefined values. */
export const toItem = (values: Values): Item =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, toAttribute(value)]])),
  );

const toAttribute = (value: string | number | ReadonlySet<string>): AttributeValue => {
  if (typeof value === "string") return { S: value };
  return typeof value === "number" ? { N: String(value) } : { SS: [...value] };
};

/** Creates the error for a DynamoDB response that must not be acted on. */
export const invalidResponse = (problem: string): ApiError =>
  new ApiError("unavailable", { cause: new Error(problem) });
