import type { Right } from "../dynamodb/table.ts";
import { rightsOn, type StoresOn } from "../dynamodb/uses.ts";
import * as declared from "./tables.ts";

/** The tables of the resources in this folder, by the name of their store. */
export const tables = { ...declared };

export type OwnTables = typeof tables;

export type Stores = StoresOn<OwnTables>;

export type StoreName = keyof Stores;

export const storeNames = Object.keys(tables) as StoreName[];

/** An object with a value for each store. */
export const mapStores = <Value>(create: (name: StoreName) => Value): Record<StoreName, Value> =>
  Object.fromEntries(storeNames.map((name) => [name, create(name)])) as Record<StoreName, Value>;

/** The rights on its table that operations of a store need: all of them unless given. */
export const rightsOf = (store: StoreName, operations?: readonly string[]): Right[] =>
  rightsOn(tables[store], operations);
