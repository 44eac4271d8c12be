import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { accessTables, type TableAccess, tableNameOf } from "../../tools/support/table-states.ts";
import type { TestService } from "./service.ts";

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
