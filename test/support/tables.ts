import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { StoreName } from "../../lambdas/resources/stores.ts";
import { accessTables, type TableAccess } from "../../tools/support/table-states.ts";
import type { TestService } from "./service.ts";

/** The name of a store's table in a running service. */
export const tableNameOf = ({ tableNames }: Pick<TestService, "tableNames">, store: StoreName): string => {
  const name = tableNames.find((table) => table.toLowerCase() === `${store}table`);
  if (!name) throw new Error(`The service has no table of the store ${store}, only ${tableNames.join(", ")}.`);
  return name;
};

/** A client of a running service's database. */
export const databaseClientOf = ({ dynamodbUrl }: Pick<TestService, "dynamodbUrl">): DynamoDBClient =>
  new DynamoDBClient({
    endpoint: dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });

/** The tables of a running service. */
export const tablesOf = (service: TestService): TableAccess =>
  accessTables(databaseClientOf(service), (store) => tableNameOf(service, store));
