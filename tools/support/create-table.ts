import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type KeySchemaElement,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { changeIndex } from "../../lambdas/dynamodb/change-history.ts";
import { type AnyTable, keyNamesOf, type TableKey } from "../../lambdas/dynamodb/table.ts";

type Schema = TableKey & Pick<AnyTable, "timeOfChange" | "hasHistory" | "index">;

/** Returns the definition of a table whose keys are strings, with the index of changes if the table has one. */
export const tableDefinition = (TableName: string, table: Schema): CreateTableCommandInput => {
  const keys = keyNamesOf(table);
  const indexes = [
    ...(table.hasHistory
      ? [
          {
            IndexName: changeIndex.name,
            KeySchema: schemaOf([changeIndex.partitionKey, table.timeOfChange ?? ""]),
            Projection: { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...changeIndex.attributes] },
          },
        ]
      : []),
    ...(table.index
      ? [
          {
            IndexName: table.index.name,
            KeySchema: schemaOf([table.index.partitionKey, table.index.sortKey]),
            Projection: { ProjectionType: "KEYS_ONLY" as const },
          },
        ]
      : []),
  ];
  const indexKeys = indexes.flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName ?? ""));
  return {
    TableName,
    KeySchema: schemaOf(keys),
    AttributeDefinitions: [...new Set([...keys, ...indexKeys])].map((AttributeName) => ({
      AttributeName,
      AttributeType: "S",
    })),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    BillingMode: "PAY_PER_REQUEST",
  };
};

/** Creates a table, and waits until it can be used. */
export const createTable = async (client: DynamoDBClient, TableName: string, table: Schema): Promise<void> => {
  await client.send(new CreateTableCommand(tableDefinition(TableName, table)));
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }, { TableName });
};

const schemaOf = (names: readonly string[]): KeySchemaElement[] =>
  names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }));
