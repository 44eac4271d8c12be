import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

export type Item = Record<string, AttributeValue>;

/** Attribute values of a record whose fields are strings and numbers. Absent fields are left out. */
export const toItem = (record: object): Item =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "number" ? { N: String(value) } : { S: value }]],
    ),
  );

/** Which record an item must be. */
interface Expected<Fields> {
  /** The fields that each such record has. */
  required: readonly (keyof Fields & string)[];
  /** The fields that are numbers, where an item has them. */
  numbers?: readonly (keyof Fields & string)[];
  /** The record that was asked for, by its partition key. */
  key?: Partial<Fields>;
}

/**
 * The string attributes of an item, and its numbers. Others, such as the time-to-live, are the table's own business.
 *
 * @throws {ApiError} `unavailable` if a field is missing or no number where it must be one, or if it is another record than
 * the one that was asked for: none of these is an answer to go by.
 */
export const fromItem = <Fields extends object>(
  item: Item,
  { required, numbers = [], key = {} }: Expected<Fields>,
): Fields => {
  const fields: Record<string, string | number> = {};
  for (const name in item) {
    const text = item[name]?.S;
    if (text !== undefined) fields[name] = text;
  }
  for (const name of numbers) {
    const attribute = item[name];
    if (attribute === undefined) continue;
    // Left out it would read as a field that the record does not have, and a limit as none.
    if (attribute.N === undefined) throw unsound(`The item has a ${name} that is no number.`);
    fields[name] = Number(attribute.N);
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
