import { createDynamoDBClient } from "../dynamodb/client.ts";
import { rejectInvalidResponses } from "../dynamodb/invalid-responses.ts";
import { preventLateAttempts } from "../dynamodb/late-attempts.ts";
import { openStore } from "../dynamodb/open-table.ts";
import { requireVariable } from "../environment.ts";
import { type Stores, type StoresFor, storeNames, tables, tableVariable, type Uses } from "../resources/stores.ts";

/**
 * The stores that `uses` names, on the tables that the environment names.
 *
 * @throws {Error} naming the environment variable of a table that is missing, so that the function fails to start.
 */
export const createStores = <U extends Uses>(uses: U): StoresFor<U> => {
  const client = createDynamoDBClient();
  rejectInvalidResponses(client);
  preventLateAttempts(client);
  const used = storeNames.filter((name) => uses[name]);
  return Object.fromEntries(
    used.map((name) => [name, openStore(tables[name], { client, tableName: requireVariable(tableVariable(name)) })]),
  ) as Partial<Stores> as StoresFor<U>;
};
