import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

export type Item = Record<string, AttributeValue>;

/** Attribute values of a record whose fields are all strings. Absent fields are left out. */
export const toItem = (record: object): Item =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, { S: value }]])),
  );

/** Which record an item must be. */
interface Expected<Fields> {
  /** The fields that each such record has. */
  required: readonly (keyof Fields & string)[];
  /** The record that was asked for, by its partition key. */
  key?: Partial<Fields>;
}

/**
 * The string attributes of an item. Others, such as the time-to-live, are the table's own business.
 *
 * @throws {ApiError} `unavailable` if a field is missing, or if it is another record than the one that was asked for:
 * neither is an answer to go by.
 */
export const fromItem = <Fields extends object>(item: Item, { required, key = {} }: Expected<Fields>): Fields => {
  const fields: Record<string, string> = {};
  for (const name in item) {
    const text = item[name]?.S;
    if (text !== undefined) fields[name] = text;
  }
  const missing = required.filter((name) => fields[name] === undefined);
  if (missing.length > 0) throw unsound(`The item has no ${missing.join(", no ")}.`);
  for (const [name, value] of Object.entries(key)) {
    if (fields[name] !== value) throw unsound(`The item has another ${name} than the one that was asked for.`);
  }
  return fields as Fields;
};

/** The error for an answer of DynamoDB that is not to go by. */
export const unsound = (problem: string): ApiError => new ApiError("unavailable", { cause: new Error(problem) });
