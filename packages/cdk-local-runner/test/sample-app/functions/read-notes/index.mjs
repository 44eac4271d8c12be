import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";

const database = new DynamoDBClient({});

export const handler = async () => {
  const { Items } = await database.send(new ScanCommand({ TableName: process.env.NOTES_TABLE }));
  return Object.fromEntries(Items.map(({ id, text }) => [id.S, text.S]));
};
