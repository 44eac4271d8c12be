import type { AnyTable, Right, StoreOf } from "../dynamodb/table.ts";
import * as declared from "./tables.ts";

/** The declared tables, by the name of their store. */
export const tables = { ...declared };

export type Tables = typeof tables;

/** The stores that a handler may be given, one for each table. */
export type Stores = { [Name in keyof Tables]: StoreOf<Tables[Name]> };

export type StoreName = keyof Stores;

export const storeNames = Object.keys(tables) as StoreName[];

/** An object with a value for each store. */
export const mapStores = <Value>(create: (name: StoreName) => Value): Record<StoreName, Value> =>
  Object.fromEntries(storeNames.map((name) => [name, create(name)])) as Record<StoreName, Value>;

/** The rights on its table that operations of a store need: all of them unless given. */
export const rightsOf = (store: StoreName, operations?: readonly string[]): Right[] => {
  const { rights }: AnyTable = tables[store];
  return (operations ?? Object.keys(rights)).flatMap((operation) => rights[operation] ?? []);
};
