import { beforeAll, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { type StoreName, type Stores, tables } from "../../../lambdas/resources/stores.ts";
import { tableVariable } from "../../../lambdas/resources/uses.ts";
import { type TestTable, useDatabase } from "./database.ts";

/** Stores on tables of their own, which the environment names for the functions under test. */
export const useStores = (...names: StoreName[]) => {
  const database = useDatabase();
  const opened: Partial<Stores> = {};
  const made = new Map<StoreName, TestTable>();

  beforeAll(async () => {
    for (const name of names) {
      const table: AnyTable = tables[name];
      const place = await database.newTable(tables[name]);
      made.set(name, place);
      vi.stubEnv(tableVariable(name), place.table);
      Object.assign(opened, { [name]: openStore(table, { client: place.client, tableName: place.table }) });
    }
  });

  const ready = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("the store is there in a hook or a test");
    return value;
  };
  return {
    store: <Name extends StoreName>(name: Name): Stores[Name] => ready<Stores[Name]>(opened[name]),
    /** The table of a store. */
    tableOf: (name: StoreName): TestTable => ready(made.get(name)),
  };
};
