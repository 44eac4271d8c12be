import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { keyNamesOf, type TableKey } from "../../lambdas/dynamodb/table.ts";

/** Creates a table whose keys are strings. */
export const createTable = async (client: DynamoDBClient, TableName: string, key: TableKey): Promise<void> => {
  const keys = keyNamesOf(key);
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
};
