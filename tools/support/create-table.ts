import { CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** Creates a table whose keys are strings. */
export const createTable = async (
  client: DynamoDBClient,
  TableName: string,
  { partitionKey, sortKey }: { partitionKey: string; sortKey?: string | undefined },
): Promise<void> => {
  const keys = [partitionKey, ...(sortKey === undefined ? [] : [sortKey])];
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
};
