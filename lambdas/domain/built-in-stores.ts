import type { Right } from "../dynamodb/table.ts";
import { rightsOn, type StoresOn } from "../dynamodb/uses.ts";
import * as declared from "./tables.ts";

/** The tables of the resources in this folder, by store name. */
export const tables = { ...declared };

export type BuiltInTables = typeof tables;

export type Stores = StoresOn<BuiltInTables>;

export type StoreName = keyof Stores;

export const storeNames = Object.keys(tables) as StoreName[];

/** Creates an object with a value for each store. */
export const mapStores = <Value>(create: (name: StoreName) => Value): Record<StoreName, Value> =>
  Object.fromEntries(storeNames.map((name) => [name, create(name)])) as Record<StoreName, Value>;

/** Returns the rights on its table that these operations of a store need. Default: all operations. */
export const rightsOf = (store: StoreName, operations?: readonly string[]): Right[] =>
  rightsOn(tables[store], operations);
