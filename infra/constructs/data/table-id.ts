import type { StoreName } from "../../../lambdas/resources/stores.ts";

/** The logical id of a store's table in the data stack: `KeysTable`. */
export const tableIdOf = (store: StoreName): string => `${store.charAt(0).toUpperCase()}${store.slice(1)}Table`;
