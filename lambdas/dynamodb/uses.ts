import type { AnyTable, Right, StoreOf } from "./table.ts";

/** Declared tables, by the name of their store. */
export type Tables = Readonly<Record<string, AnyTable>>;

/** The stores on tables. */
export type StoresOn<T extends Tables> = { [Name in keyof T]: StoreOf<T[Name]> };

/** The operations on `T` that a handler uses, by store. IAM rights and the handler's types both follow from it. */
export type UsesOf<T extends Tables> = { readonly [Name in keyof T]?: readonly (keyof StoreOf<T[Name]>)[] };

/** The stores cut down to the operations in `U`: a handler cannot call what its function has no right to do. */
export type StoresFor<T extends Tables, U extends UsesOf<T>> = {
  [Name in keyof T & keyof U]: U[Name] extends readonly (infer Operation)[]
    ? Pick<StoreOf<T[Name]>, Operation & keyof StoreOf<T[Name]>>
    : never;
};

/** The operations on any tables. */
export type Uses = Readonly<Record<string, readonly string[] | undefined>>;

/** The operations of both without duplicates. */
export const mergeUses = <A extends Uses, B extends Uses>(a: A, b: B): A & B => {
  const merged: Record<string, readonly string[]> = {};
  for (const [store, operations = []] of [...Object.entries(a), ...Object.entries(b)]) {
    merged[store] = [...new Set([...(merged[store] ?? []), ...operations])];
  }
  return merged as A & B;
};

/** The operations on these stores. */
export const usesWithin = (stores: readonly string[], uses: Uses): Uses =>
  Object.fromEntries(Object.entries(uses).filter(([store]) => stores.includes(store)));

/** The stores in which `uses` has operations. */
export const storesIn = (uses: Uses): string[] => Object.keys(uses);

/** The environment variable that tells a function the name of a store's table. */
export const tableVariable = (store: string): string => `${store.toUpperCase()}_TABLE`;

/** The rights on a table that operations of its store need: all of them unless given. */
export const rightsOn = ({ rights }: AnyTable, operations: readonly string[] = Object.keys(rights)): Right[] =>
  operations.flatMap((operation) => rights[operation] ?? []);
