import { createStores } from "../../../lambdas/functions/create-stores.ts";
import * as tables from "../../../lambdas/resources/tables.ts";

/** A store as the functions open it. */
export const openKeys = () => createStores({ keys: [] }, tables).keys;
