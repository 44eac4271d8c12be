import { createStores } from "../../../lambdas/functions/create-stores.ts";
import * as tables from "../../../lambdas/resources/tables.ts";

/** The stores as the functions open them. */
export const stores = () => createStores({ keys: [], tokens: [] }, tables);
