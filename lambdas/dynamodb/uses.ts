import type { AnyTable, Right, StoreOf } from "./table.ts";

/** Declared tables, by store name. */
export type Tables = Readonly<Record<string, AnyTable>>;

/** The stores on tables. */
export type StoresOn<T extends Tables> = { [Name in keyof T]: StoreOf<T[Name]> };

/**
 * The operations on `T` that a handler uses, by store. They determine its IAM permissions and the stores that its types provide.
 */
export type UsesOf<T extends Tables> = { readonly [Name in keyof T]?: readonly (keyof StoreOf<T[Name]>)[] };

/** The stores with only the operations in `U`. A handler cannot call operations that its function has no permission for. */
export type StoresFor<T extends Tables, U extends UsesOf<T>> = {
  [Name in keyof T & keyof U]: U[Name] extends readonly (infer Operation)[]
    ? Pick<StoreOf<T[Name]>, Operation & keyof StoreOf<T[Name]>>
    : never;
};

/** Operations on any tables, by store. */
export type Uses = Readonly<Record<string, readonly string[] | undefined>>;

/** Merges two sets of operations without duplicates. */
export const mergeUses = <A extends Uses, B extends Uses>(a: A, b: B): A & B => {
  const merged: Record<string, readonly string[]> = {};
  for (const [store, operations = []] of [...Object.entries(a), ...Object.entries(b)]) {
    merged[store] = [...new Set([...(merged[store] ?? []), ...operations])];
  }
  return merged as A & B;
};

/** Returns only the operations on these stores. */
export const usesWithin = (stores: readonly string[], uses: Uses): Uses =>
  Object.fromEntries(Object.entries(uses).filter(([store]) => stores.includes(store)));

/** Returns the stores that `uses` has operations on. */
export const storesIn = (uses: Uses): string[] => Object.keys(uses);

/** Returns the environment variable with the name of a store's table. */
export const tableVariable = (store: string): string => `${store.toUpperCase()}_TABLE`;

/** Returns the rights on a table that these operations of its store need. Default: all operations. */
export const rightsOn = ({ rights }: AnyTable, operations: readonly string[] = Object.keys(rights)): Right[] =>
  operations.flatMap((operation) => rights[operation] ?? []);
