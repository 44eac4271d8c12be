import type { AttributeValue } from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;

/** Attribute values of a record whose fields are strings and numbers. Absent fields are left out. */
export const toItem = (record: object): Item =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "number" ? { N: String(value) } : { S: value }]],
    ),
  );

/**
 * The string attributes of an item, and those of its numbers that are named. Others, such as the time-to-live, are the
 * table's own business.
 */
export const fromItem = <Fields extends object>(
  item: Item,
  numbers: readonly (keyof Fields & string)[] = [],
): Fields => {
  const fields: Record<string, string | number> = {};
  for (const name in item) {
    const text = item[name]?.S;
    if (text !== undefined) fields[name] = text;
  }
  for (const name of numbers) {
    const digits = item[name]?.N;
    if (digits !== undefined) fields[name] = Number(digits);
  }
  return fields as Fields;
};
