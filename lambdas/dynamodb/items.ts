import type { AttributeValue } from "@aws-sdk/client-dynamodb";

export type Item = Record<string, AttributeValue>;

/** Attribute values of a record whose fields are all strings. Absent fields are left out. */
export const toItem = (record: object): Item =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, { S: value }]])),
  );

/** The string attributes of an item. Others, such as the time-to-live, are the table's own business. */
export const fromItem = <Fields extends object>(item: Item): Fields => {
  const fields: Record<string, string> = {};
  for (const name in item) {
    const text = item[name]?.S;
    if (text !== undefined) fields[name] = text;
  }
  return fields as Fields;
};
