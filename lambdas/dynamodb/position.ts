import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { parseJson } from "../shared/parse-json.ts";
import { mostKeyBytes } from "./checked-key.ts";
import { keyTypeOf } from "./nested-attributes.ts";
import type { Item } from "./records.ts";
import { type AnyTable, fieldsOf, indexKeyNames, keyNamesOf, type Positions } from "./table.ts";

/*
 * A position (see `Positions`) consists of the key attributes of an item, except those that the request names anyway. A single
 * attribute is its own position, and several are a JSON list.
 */

type PositionTable = Pick<AnyTable, "partitionKey" | "sortKey" | "indexes" | "schema">;

/** Returns the positions in a table, or in the partitions of one of its indexes or of the table itself. */
export const positionsIn = (table: PositionTable, within?: { index?: string | undefined }): Positions => {
  const index = within?.index === undefined ? undefined : table.indexes?.[within.index];
  const names = index ? indexKeyNames(table, index) : keyNamesOf(table);
  const named = index?.partition ?? (within ? [table.partitionKey] : []);
  return positionsOf(
    names.filter((name) => !named.includes(name)).map((name) => [name, typeOf(fieldsOf(table)[name])]),
  );
};

type KeyType = "S" | "N";

const typeOf = (schema: Parameters<typeof keyTypeOf>[0] | undefined): KeyType => (schema && keyTypeOf(schema)) ?? "S";

const positionsOf = (types: readonly (readonly [name: string, type: KeyType])[]): Positions => ({
  of: (item) => {
    const values = types.map(([name, type]) => item[name]?.[type]);
    if (values.includes(undefined)) return undefined;
    return values.length === 1 ? values[0] : JSON.stringify(values);
  },
  keyOf: (position) => {
    const values = types.length === 1 ? [position] : listIn(position);
    if (values.length !== types.length) return undefined;
    const attributes = types.map(([name, type], place) => [name, attributeOf(type, values[place])] as const);
    return attributes.some(([, attribute]) => attribute === undefined)
      ? undefined
      : (Object.fromEntries(attributes) as Item);
  },
});

/** Returns the list in a JSON text; an empty one if the text is anything else. */
export const listIn = (text: string): unknown[] => {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
};

const number = /^-?\d{1,38}(?:\.\d{1,37})?$/;

const attributeOf = (type: KeyType, value: unknown): AttributeValue | undefined => {
  if (typeof value !== "string" || value === "") return undefined;
  if (type === "N") return number.test(value) ? { N: value } : undefined;
  return value.isWellFormed() && Buffer.byteLength(value) <= mostKeyBytes ? { S: value } : undefined;
};
