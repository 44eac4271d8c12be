import { type Stores, type StoresFor, tableVariable, type Uses } from "../declaration/stores.ts";
import { createDynamoDBClient } from "../dynamodb/client.ts";
import { dynamodbKeyStore } from "../keys/dynamodb-key-store.ts";
import { dynamodbTokenStore } from "../tokens/dynamodb-token-store.ts";
import { requireVariable } from "./environment.ts";

/**
 * The stores that `uses` names, on the DynamoDB tables that the environment names.
 *
 * @throws {Error} naming the environment variable of a table that is missing, so that the function fails at its start.
 */
export const createStores = <U extends Uses>(uses: U): StoresFor<U> => {
  const client = createDynamoDBClient();
  const stores: Partial<Stores> = {};
  if (uses.keys) stores.keys = dynamodbKeyStore(client, requireVariable(tableVariable("keys")));
  if (uses.tokens) stores.tokens = dynamodbTokenStore(client, requireVariable(tableVariable("tokens")));
  return stores as StoresFor<U>;
};
