import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { parseJson } from "../shared/parse-json.ts";
import { isKeyAttribute, mostKeyBytes, mostSortKeyBytes } from "./checked-key.ts";
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
    names
      .filter((name) => !named.includes(name))
      .map((name) => ({
        name,
        type: typeOf(fieldsOf(table)[name]),
        bytes: name === table.sortKey || name === index?.sort ? mostSortKeyBytes : mostKeyBytes,
      })),
  );
};

type KeyType = "S" | "N";

/** A key attribute in a position. */
interface KeyAttribute {
  name: string;
  type: KeyType;
  /** Maximum bytes of a string. */
  bytes: number;
}

const typeOf = (schema: Parameters<typeof keyTypeOf>[0] | undefined): KeyType => (schema && keyTypeOf(schema)) ?? "S";

const positionsOf = (attributes: readonly KeyAttribute[]): Positions => ({
  of: (item) => {
    const values = attributes.map(({ name, type }) => item[name]?.[type]);
    if (values.includes(undefined)) return undefined;
    return values.length === 1 ? values[0] : JSON.stringify(values);
  },
  keyOf: (position) => {
    const values = attributes.length === 1 ? [position] : listIn(position);
    if (values.length !== attributes.length) return undefined;
    const key = attributes.map((attribute, place) => [attribute.name, attributeOf(attribute, values[place])] as const);
    return key.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(key) as Item);
  },
});

/** Returns the list in a JSON text; an empty one if the text is anything else. */
export const listIn = (text: string): unknown[] => {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
};

const attributeOf = ({ type, bytes }: KeyAttribute, value: unknown): AttributeValue | undefined => {
  if (typeof value !== "string" || !value.isWellFormed()) return undefined;
  const attribute = type === "N" ? { N: value } : { S: value };
  return isKeyAttribute(attribute, bytes) ? attribute : undefined;
};
