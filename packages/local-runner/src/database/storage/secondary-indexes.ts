import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../support/is-record.ts";
import { isTable, keyNames } from "../requests/tables.ts";
import { type Entries, indexOf, indexPrefix, itemPrefix, type Operation, rangeOf, tableKey } from "./stored-entries.ts";

type Attributes = Record<string, unknown>;

/**
 * Returns the changes that make the entries of all indexes match their items. They can differ because the process was killed
 * between the change of an entry and that of its item, and because the journal still has removed entries.
 */
export const reconcileIndexes = async (database: Entries): Promise<Operation[]> => {
  const operations: Operation[] = [];
  const tables = new Map<string, ReturnType<typeof readTable>>();
  for await (const [key, entry] of database.iterator(rangeOf(indexPrefix))) {
    const { tableName, indexName } = indexOf(key);
    const table = tables.get(tableName) ?? readTable(database, tableName);
    tables.set(tableName, table);
    const entryOf = await table;
    const expected = isRecord(entry) ? entryOf(entry, indexName) : undefined;
    if (expected === undefined) operations.push({ type: "del", key });
    else if (!isDeepStrictEqual(entry, expected)) operations.push({ type: "put", key, value: expected });
  }
  return operations;
};

/** Returns a function that computes an entry of an index from its item; undefined if the item has no such entry. */
const readTable = async (database: Entries, tableName: string) => {
  const table = await database.get(tableKey(tableName));
  if (!isTable(table)) return () => undefined;
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const ownKeys = keyNames(table);
  const items = new Map<string, Attributes>();
  for await (const [, item] of database.iterator(rangeOf(itemPrefix(tableName)))) {
    if (isRecord(item)) items.set(valuesOf(item, ownKeys), item);
  }
  return (entry: Attributes, indexName: string): Attributes | undefined => {
    const index = indexes.find(({ IndexName }) => IndexName === indexName);
    const item = items.get(valuesOf(entry, ownKeys));
    if (index === undefined || item === undefined) return undefined;
    const indexKeys = keyNames(index);
    if (valuesOf(entry, indexKeys) !== valuesOf(item, indexKeys)) return undefined;
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
    if (ProjectionType === "ALL") return item;
    const projected = [...indexKeys, ...ownKeys, ...NonKeyAttributes].filter((name) => item[name] !== undefined);
    return Object.fromEntries(projected.map((name) => [name, item[name]]));
  };
};

const valuesOf = (item: Attributes, names: string[]): string => JSON.stringify(names.map((name) => item[name]));
