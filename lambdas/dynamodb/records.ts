import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

/** An item as DynamoDB stores it. */
export type Item = Record<string, AttributeValue>;

type Kind<Value> = Exclude<Value, undefined> extends number ? "number" : "text" | "time";

/**
 * How the fields of a record are stored, by name. `text` and `time` (RFC 3339, UTC, milliseconds) are strings, `number` is a
 * number, and `?` marks a field that a record may lack.
 *
 * @example const fields: FieldsOf<{ id: string; ends_at?: string }> = { id: "text", ends_at: "time?" };
 */
export type FieldsOf<R extends object> = {
  [Name in keyof R]-?: `${Kind<R[Name]>}${Record<never, never> extends Pick<R, Name> ? "?" : ""}`;
};

/** Reads an item as the record that was asked for; see `recordReader`. */
export type ReadRecord<R extends object> = (item: Item, key?: Partial<R>) => R;

/**
 * Makes a function that reads the declared fields of an item, and no others.
 *
 * That function throws `ApiError` `unavailable` if a required field is missing, if a field has another type than declared, or if
 * the item is not the one that `key` asks for. A damaged record is never an answer to act on: a `revoked_at` that cannot be
 * read must not make a token active.
 */
export const recordReader = <R extends object>(fields: FieldsOf<R>): ReadRecord<R> => {
  const declared = Object.entries<string>(fields).map(([name, kind]) => ({
    name,
    isNumber: kind.startsWith("number"),
    isOptional: kind.endsWith("?"),
  }));

  return (item, key = {}) => {
    const record: Record<string, string | number> = {};
    for (const { name, isNumber, isOptional } of declared) {
      const attribute = item[name];
      if (attribute === undefined && isOptional) continue;
      const value = isNumber ? numberOf(attribute) : attribute?.S;
      if (value === undefined) throw invalidResponse(`The item has no ${name} of the declared type.`);
      record[name] = value;
    }
    for (const [name, value] of Object.entries(key)) {
      if (record[name] !== value) throw invalidResponse(`The item has a different ${name} from the one requested.`);
    }
    return record as R;
  };
};

const numberOf = (attribute: AttributeValue | undefined): number | undefined => {
  const value = Number(attribute?.N);
  return Number.isFinite(value) ? value : undefined;
};

/** What a store writes: strings and numbers, and sets of strings. */
export type Values = Readonly<Record<string, string | number | ReadonlySet<string> | undefined>>;

/** Attributes for values. Those that are undefined are left out. */
export const toItem = (values: Values): Item =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, toAttribute(value)]])),
  );

const toAttribute = (value: string | number | ReadonlySet<string>): AttributeValue => {
  if (typeof value === "string") return { S: value };
  return typeof value === "number" ? { N: String(value) } : { SS: [...value] };
};

/** The error for a response of DynamoDB that must not be acted on. */
export const invalidResponse = (problem: string): ApiError =>
  new ApiError("unavailable", { cause: new Error(problem) });
