import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  type StoreName,
  type Stores,
  type StoresFor,
  storeNames,
  tableVariable,
  type Uses,
} from "../declaration/stores.ts";
import { createDynamoDBClient } from "../dynamodb/client.ts";
import { preventLateAttempts } from "../dynamodb/late-attempts.ts";
import { requireSoundAnswers } from "../dynamodb/sound-answers.ts";
import { requireVariable } from "../environment.ts";
import { dynamodbKeyStore } from "../resources/keys/dynamodb-key-store.ts";
import { dynamodbLimitStore } from "../resources/limits/dynamodb-limit-store.ts";
import { dynamodbTokenStore } from "../resources/tokens/dynamodb-token-store.ts";
import { dynamodbUsageStore } from "../resources/usage/dynamodb-usage-store.ts";

const factories: { [Name in StoreName]: (client: DynamoDBClient, table: string) => Stores[Name] } = {
  keys: dynamodbKeyStore,
  tokens: dynamodbTokenStore,
  limits: dynamodbLimitStore,
  usage: dynamodbUsageStore,
};

/**
 * The stores that `uses` names, on the DynamoDB tables that the environment names.
 *
 * @throws {Error} naming the environment variable of a table that is missing, so that the function fails at its start.
 */
export const createStores = <U extends Uses>(uses: U): StoresFor<U> => {
  const client = createDynamoDBClient();
  requireSoundAnswers(client);
  preventLateAttempts(client);
  const used = storeNames.filter((name) => uses[name]);
  return Object.fromEntries(
    used.map((name) => [name, factories[name](client, requireVariable(tableVariable(name)))]),
  ) as Partial<Stores> as StoresFor<U>;
};
