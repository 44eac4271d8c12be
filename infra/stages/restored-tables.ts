import * as z from "zod/mini";
import { mapStores, type StoreName, storeNames } from "../../lambdas/resources/stores.ts";

/** The names of the tables that functions use in place of the stack's own. */
export type RestoredTables = Readonly<Record<StoreName, string | undefined>>;

export type TableOption = `${StoreName}Table`;

const tableOption = (store: StoreName): TableOption => `${store}Table`;

const tableName = (option: TableOption) =>
  z.optional(
    z
      .string()
      .check(
        z.regex(
          /^[A-Za-z0-9_.-]{3,255}$/,
          `-c ${option}=… must be the name of a table: 3 to 255 characters from A-Z, a-z, 0-9, "_", "-" and ".".`,
        ),
      ),
  );

/** An option for each declared table, such as `-c keysTable=restored-keys`. */
export const tableOptions = Object.fromEntries(
  storeNames.map((store) => [tableOption(store), tableName(tableOption(store))]),
) as Record<TableOption, ReturnType<typeof tableName>>;

/** The names by store, from the values of the options. */
export const restoredTablesOf = (values: Partial<Record<TableOption, string | undefined>>): RestoredTables =>
  mapStores((store) => values[tableOption(store)]);
