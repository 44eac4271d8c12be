import type { Rights } from "../dynamodb/rights.ts";
import { type KeyStore, keyStoreRights } from "../resources/keys/key-store.ts";
import { type LimitStore, limitStoreRights } from "../resources/limits/limit-store.ts";
import { type TokenStore, tokenStoreRights } from "../resources/tokens/token-store.ts";
import { type UsageStore, usageStoreRights } from "../resources/usage/usage-store.ts";

/** What a handler may be given: one store for each DynamoDB table. */
export interface Stores {
  keys: KeyStore;
  tokens: TokenStore;
  limits: LimitStore;
  usage: UsageStore;
}

export type StoreName = keyof Stores;

/** The operations that a handler uses, store by store. IAM rights and the handler's types both follow from it. */
export type Uses = { readonly [Name in StoreName]?: readonly (keyof Stores[Name])[] };

/** The stores cut down to the operations in `U`: a handler cannot call what its function has no right to do. */
export type StoresFor<U extends Uses> = {
  [Name in StoreName & keyof U]: U[Name] extends readonly (infer Operation)[]
    ? Pick<Stores[Name], Operation & keyof Stores[Name]>
    : never;
};

export const storeRights: { readonly [Name in StoreName]: Rights<Stores[Name]> } = {
  keys: keyStoreRights,
  tokens: tokenStoreRights,
  limits: limitStoreRights,
  usage: usageStoreRights,
};

export const storeNames = Object.keys(storeRights) as StoreName[];

/** The name of the environment variable that tells a function the table of a store. */
export const tableVariable = (store: StoreName): string => `${store.toUpperCase()}_TABLE`;

/** What the function of every endpoint does with a token, besides the endpoint's own work. */
export const tokenCheck = { tokens: ["find", "recordUse"], limits: ["take"] } as const satisfies Uses;

/** What the function does that counts the use of tokens. */
export const usageCount = { usage: ["add", "noteLeak"] } as const satisfies Uses;

/** The operations of both, each once. */
export const mergeUses = <A extends Uses, B extends Uses>(a: A, b: B): A & B => {
  const merged: Record<string, readonly PropertyKey[]> = { ...a };
  for (const [store, operations] of Object.entries(b)) {
    merged[store] = [...new Set([...(merged[store] ?? []), ...operations])];
  }
  return merged as A & B;
};
