import { createDynamoDBClient } from "../dynamodb/client.ts";
import { rejectInvalidResponses } from "../dynamodb/invalid-responses.ts";
import { preventLateAttempts } from "../dynamodb/late-attempts.ts";
import { openStore } from "../dynamodb/open-table.ts";
import type { AnyTable } from "../dynamodb/table.ts";
import { requireVariable } from "../environment.ts";
import type { StoreName, Stores, Tables } from "../resources/stores.ts";
import { type StoresFor, storesIn, tableVariable, type Uses } from "../resources/uses.ts";

/**
 * The stores that `uses` names, on the tables that the environment names.
 *
 * @param tables the declarations of those tables. A function is given only the ones that it uses, so that its bundle
 *   contains no others.
 * @throws {Error} naming what is missing, a declaration or an environment variable, so that the function fails to start.
 */
export const createStores = <U extends Uses>(uses: U, tables: Partial<Tables>): StoresFor<U> => {
  const client = createDynamoDBClient();
  const keyNames = new Map<string, readonly string[]>();
  rejectInvalidResponses(client, keyNames);
  preventLateAttempts(client);

  const open = (name: StoreName) => {
    const table: AnyTable | undefined = tables[name];
    if (!table) throw new Error(`The function is bundled without the table of the store ${name}.`);
    const tableName = requireVariable(tableVariable(name));
    keyNames.set(tableName, table.sortKey === undefined ? [table.partitionKey] : [table.partitionKey, table.sortKey]);
    return openStore(table, { client, tableName });
  };
  return Object.fromEntries(storesIn(uses).map((name) => [name, open(name)])) as Partial<Stores> as StoresFor<U>;
};
