import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";

const database = new DynamoDBClient({});

export const handler = async ({ body, pathParameters }) => {
  const Item = { id: { S: pathParameters.id }, text: { S: body } };
  await database.send(new PutItemCommand({ TableName: process.env.NOTES_TABLE, Item }));
  return { statusCode: 204 };
};
