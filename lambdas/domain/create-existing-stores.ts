import type { Table } from "../dynamodb/table.ts";
import { type StoresFor, storesIn, type Tables, type Uses, type UsesOf, usesWithin } from "../dynamodb/uses.ts";
import { createStores, type StoresOptions } from "./create-stores.ts";

export interface ExistingStoresOptions extends StoresOptions {
  /** The stores that the service has. Default: all. */
  existing?: readonly string[];
  /** Other tables, by store name. */
  applicationTables?: Tables;
}

/** Creates the stores that `uses` names. A store that the service does not have is empty, and nothing can be stored in it. */
export const createExistingStores = <T extends Tables, U extends UsesOf<T>>(
  uses: U & Uses,
  tables: T,
  { existing = Object.keys(tables), applicationTables, ...options }: ExistingStoresOptions = {},
): StoresFor<T, U> => {
  const missing = storesIn(uses).filter((name) => !existing.includes(name));
  return {
    ...Object.fromEntries(missing.map((name) => [name, tables[name]?.createStore(emptyTable)])),
    ...createStores<T, U>(usesWithin(existing, uses) as U, { ...tables, ...applicationTables }, options),
  };
};

const refuse = () => {
  throw new Error("The service does not have this table.");
};

const emptyTable: Table<object> = {
  read: refuse,
  readUnlessDeleted: refuse,
  getItem: async () => undefined,
  get: async () => undefined,
  page: async () => ({ records: [], examined: 0 }),
  pageOf: async () => ({ records: [], examined: 0 }),
  changed: async () => ({ items: [] }),
  hasAfter: async () => false,
  query: async () => [],
  update: async () => refuse(),
  change: async () => refuse(),
};
