import type { StoreName, Stores } from "./stores.ts";

/** The operations that a handler uses, by store. IAM rights and the handler's types both follow from it. */
export type Uses = { readonly [Name in StoreName]?: readonly (keyof Stores[Name])[] };

/** The stores cut down to the operations in `U`: a handler cannot call what its function has no right to do. */
export type StoresFor<U extends Uses> = {
  [Name in StoreName & keyof U]: U[Name] extends readonly (infer Operation)[]
    ? Pick<Stores[Name], Operation & keyof Stores[Name]>
    : never;
};

/** The operations of every endpoint's function on a token, besides the endpoint's own work. */
export const tokenCheck = { tokens: ["find", "recordUse"], limits: ["take"] } as const satisfies Uses;

/**
 * The operations of the usage function, which counts the use of tokens, and tells people about leaks and requests for
 * confirmation.
 */
export const usageCount = {
  usage: ["add", "noteLeak"],
  tokens: ["find"],
  notices: ["add", "claim", "settle"],
} as const satisfies Uses;

/** The operations of the notices function, which runs once a day. */
export const noticeSearch = {
  tokens: ["list"],
  keys: ["changed", "forget"],
  history: ["archive"],
  notices: ["list", "add", "claim", "settle"],
} as const satisfies Uses;

/** The operations of both without duplicates. */
export const mergeUses = <A extends Uses, B extends Uses>(a: A, b: B): A & B => {
  const merged: Record<string, readonly PropertyKey[]> = { ...a };
  for (const [store, operations] of Object.entries(b)) {
    merged[store] = [...new Set([...(merged[store] ?? []), ...operations])];
  }
  return merged as A & B;
};

/** The stores in which `uses` has operations. */
export const storesIn = (uses: Uses): StoreName[] => Object.keys(uses) as StoreName[];

/** The environment variable that tells a function the name of a store's table. */
export const tableVariable = (store: StoreName): string => `${store.toUpperCase()}_TABLE`;
