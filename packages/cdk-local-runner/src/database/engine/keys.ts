import { crc32 } from "node:zlib";
import { assertValid, invalid, UnsupportedRequest } from "./errors.ts";
import { sortableNumber } from "./numbers.ts";
import type { Index, KeyAttribute, Table } from "./tables.ts";
import { type AttributeValue, bytesOf, type Item, isEmpty, typeOf } from "./values.ts";

/*
 * Computes where rows are stored. A place is a string of characters up to U+00FF, each of which stands for a byte. Places sort in
 * DynamoDB's order: by the hash of the partition key, then by the partition key, then by the sort key.
 */

const maximumBytes = { HASH: 2_048, RANGE: 1_024 };

type Kind = KeyAttribute["kind"];

/** Returns the place of a table's description. */
export const placeOfTable = (name: string): string => `\0${name}`;

/** Returns the prefix of the places of all rows of a table or an index. */
export const prefixOf = (table: Table, index?: Index): string => `${table.name}\0${index?.name ?? ""}\0`;

/** Returns a string that sorts like the value. No such string is a prefix of another. */
const sortable = (value: AttributeValue): string => `${sortableStart(value)}${value.N === undefined ? "\0\0" : ""}`;

/** Returns the common prefix of the sortable strings of all values that begin with this one. */
export const sortableStart = (value: AttributeValue): string => {
  if (value.N !== undefined) return sortableNumber(value.N);
  return (bytesOf(value)?.toString("latin1") ?? "").replaceAll("\0", "\0\xff");
};

/** Returns the prefix of the places of all rows with a partition key, which may consist of several attributes. */
export const placeOfPartition = (prefix: string, values: AttributeValue[]): string => {
  const text = values.map(sortable).join("");
  return `${prefix}${textOfHash(crc32(text))}${text}`;
};

/** Returns the place where one of several equal parts of a table begins. */
export const placeOfSegment = (prefix: string, part: number, parts: number): string => {
  if (part === 0) return prefix;
  if (part === parts) return placeAfter(prefix);
  return `${prefix}${textOfHash(Math.floor((part / parts) * 2 ** 32))}`;
};

const textOfHash = (hash: number): string =>
  String.fromCharCode(hash >>> 24, (hash >>> 16) & 0xff, (hash >>> 8) & 0xff, hash & 0xff);

/** Returns the first place after all places with this prefix. */
export const placeAfter = (start: string): string => {
  const kept = start.replace(/\xff+$/, "");
  return `${kept.slice(0, -1)}${String.fromCharCode(kept.charCodeAt(kept.length - 1) + 1)}`;
};

/**
 * Returns the place of the first attributes of a sort key in a partition. It can be the prefix of several index rows.
 */
export const placeOfSortKey = (partition: string, values: AttributeValue[]): string =>
  `${partition}${values.map(sortable).join("")}`;

const valuesOf = (keys: KeyAttribute[], kind: Kind, item: Item): AttributeValue[] =>
  keys.flatMap((key) => (key.kind === kind ? (item[key.name] ?? []) : []));

const placeOf = (prefix: string, keys: KeyAttribute[], item: Item): string =>
  placeOfSortKey(placeOfPartition(prefix, valuesOf(keys, "HASH", item)), valuesOf(keys, "RANGE", item));

/** Returns the place of an item with the table's keys. */
export const placeOfItem = (table: Table, item: Item): string => placeOf(prefixOf(table), table.keys, item);

/** Returns the place of an item's entry in an index; undefined if it has none. */
export const placeInIndex = (table: Table, index: Index, item: Item): string | undefined => {
  for (const { name, type, kind } of index.keys) {
    const value = item[name];
    if (value === undefined || typeOf(value) !== type || isEmpty(value) || isTooLong([value], kind)) return undefined;
  }
  return placeOf(prefixOf(table, index), index.keys, item) + placeOf("", table.keys, item);
};

export const keyNamesOf = (table: Table, index?: Index): string[] => [
  ...new Set([...table.keys, ...(index?.keys ?? [])].map(({ name }) => name)),
];

export const pick = (item: Item, names: Iterable<string>): Item => {
  const picked: Item = {};
  for (const name of names) {
    const value = item[name];
    if (value) picked[name] = value;
  }
  return picked;
};

const problem = "One or more parameter values were invalid:";
const notValid = "One or more parameter values are not valid.";
const emptyKey = ({ B }: AttributeValue) =>
  `The AttributeValue for a key attribute cannot contain an empty ${B === undefined ? "string" : "binary"} value.`;

/** Checks that a request's key has exactly the key attributes. */
export const checkKey = ({ keys }: Table, key: Item): void => {
  const isComplete = Object.keys(key).length === keys.length;
  const matches = isComplete && keys.every(({ name, type }) => key[name]?.[type] !== undefined);
  assertValid(matches, "The provided key element does not match the schema");
  checkKeyValues(keys, key);
};

/** Checks the keys of an item that is put or that results from an update. */
export const checkItemKeys = ({ keys, indexes }: Table, item: Item): void => {
  for (const { name, type } of keys) {
    const value = item[name];
    assertValid(value !== undefined, `${problem} Missing the key ${name} in the item`);
    assertValid(
      typeOf(value) === type,
      `${problem} Type mismatch for key ${name} expected: ${type} actual: ${typeOf(value)}`,
    );
  }
  checkKeyValues(keys, item);
  for (const index of indexes) {
    for (const { name, type, kind } of index.keys) {
      const value = item[name];
      if (value === undefined) continue;
      const actual = typeOf(value);
      assertValid(
        actual === type,
        `${problem} Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index.name}`,
      );
      assertValid(
        !isEmpty(value),
        `${notValid} A value specified for a secondary index key is not supported. ${emptyKey(value)} IndexName: ${index.name}, IndexKey: ${name}`,
      );
      checkLength(value, kind);
    }
    for (const kind of ["HASH", "RANGE"] as const) {
      if (isTooLong(valuesOf(index.keys, kind, item), kind)) {
        throw new UnsupportedRequest(
          `${kind} attributes of ${index.name} of more than ${maximumBytes[kind]} bytes together`,
        );
      }
    }
  }
};

const checkKeyValues = (keys: KeyAttribute[], item: Item): void => {
  for (const key of keys) {
    const value = item[key.name];
    if (value) checkKeyValue(key, value);
  }
};

/** @throws {DatabaseError} if the value is empty or too long */
export const checkKeyValue = ({ name, kind }: KeyAttribute, value: AttributeValue): void => {
  assertValid(!isEmpty(value), `${notValid} ${emptyKey(value)} Key: ${name}`);
  checkLength(value, kind);
};

const isTooLong = (values: AttributeValue[], kind: Kind): boolean =>
  values.reduce((bytes, value) => bytes + (bytesOf(value)?.length ?? 0), 0) > maximumBytes[kind];

const checkLength = (value: AttributeValue, kind: Kind): void =>
  assertValid(!isTooLong([value], kind), `${problem} A key has exceeded the size limit of ${maximumBytes[kind]} bytes`);

/** Returns the index of a request; undefined if the request reads the table itself. */
export const indexNamed = (table: Table, name: string | undefined): Index | undefined => {
  const index = table.indexes.find((one) => one.name === name);
  assertValid(name === undefined || index !== undefined, `The table does not have the specified index: ${name}`);
  return index;
};

/** Rejects attributes that an index doesn't contain. */
export const checkProjected = (index: Index | undefined, names: string[]): void => {
  const missing = names.find((name) => index?.projected?.has(name) === false);
  if (index === undefined || missing === undefined) return;
  throw invalid(`${problem} Global secondary index ${index.name} does not project [${missing}]`);
};
