import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { keyTypeOf } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { type AnyTable, fieldsOf, indexKeyNames, keyNamesOf, type TableKey } from "../../../lambdas/dynamodb/table.ts";

type Schema = TableKey & Partial<Pick<AnyTable, "indexes" | "schema">>;

/** Returns the definition of a declared table, or of one whose keys are strings. */
export const tableDefinition = (TableName: string, table: Schema): CreateTableCommandInput => {
  const indexes = Object.entries(table.indexes ?? {});
  const fields = table.schema ? fieldsOf({ schema: table.schema }) : {};
  const names = new Set([...keyNamesOf(table), ...indexes.flatMap(([, index]) => indexKeyNames(table, index))]);
  return {
    TableName,
    KeySchema: keySchema([table.partitionKey], table.sortKey),
    AttributeDefinitions: [...names].map((AttributeName) => ({
      AttributeName,
      AttributeType: (fields[AttributeName] && keyTypeOf(fields[AttributeName])) ?? "S",
    })),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(([IndexName, { partition, sort, attributes }]) => ({
        IndexName,
        KeySchema: keySchema(partition, sort),
        Projection: projectionOf(attributes),
      })),
    }),
    BillingMode: "PAY_PER_REQUEST",
  };
};

const keySchema = (partition: readonly string[], sort: string | undefined): KeySchemaElement[] => [
  ...partition.map((AttributeName) => ({ AttributeName, KeyType: "HASH" as const })),
  ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: "RANGE" as const }]),
];

const projectionOf = (attributes: readonly string[] | undefined): Projection => {
  if (attributes === undefined) return { ProjectionType: "ALL" };
  return attributes.length === 0
    ? { ProjectionType: "KEYS_ONLY" }
    : { ProjectionType: "INCLUDE", NonKeyAttributes: [...attributes] };
};

/** Creates a table, and waits until it can be used. */
export const createTable = async (client: DynamoDBClient, TableName: string, table: Schema): Promise<void> => {
  await client.send(new CreateTableCommand(tableDefinition(TableName, table)));
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }, { TableName });
};
