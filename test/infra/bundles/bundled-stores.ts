import { createStores } from "../../../lambdas/domain/create-stores.ts";
import * as tables from "../../../lambdas/domain/tables.ts";

/** A store as the functions open it. */
export const openKeys = () => createStores({ keys: [] }, tables).keys;
