import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "../assembly/tables.ts";
import type { DatabaseAccess } from "../lambda/runtime-variables.ts";
import { LocalError, messageOf } from "../support/local-error.ts";

/**
 * Creates the tables that are missing, once it is sure that those already there have the template's keys.
 *
 * @param place where the database is, for the error message: a folder or an address
 */
export const createTables = async (
  tables: TableDefinition[],
  { endpoint, region, credentials }: DatabaseAccess,
  place: string,
): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint,
    region,
    credentials: credentials ?? { accessKeyId: "localrun", secretAccessKey: "local" },
    maxAttempts: 2,
  });
  try {
    const missing = await Promise.all(
      tables.map(async (table) => ((await exists(client, table, place)) ? [] : [table])),
    );
    await Promise.all(missing.flat().map((table) => createTable(client, table)));
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(
      `The tables could not be created in the DynamoDB at ${endpoint} (${reasonOf(error)}): start it, or correct its endpoint and credentials.`,
      { cause: error, option: "externalDatabase" },
    );
  } finally {
    client.destroy();
  }
};

const exists = async (client: DynamoDBClient, table: TableDefinition, place: string): Promise<boolean> => {
  const existing = await describeTable(client, table.TableName);
  if (existing === undefined || shapeOf(existing) === shapeOf(table)) return existing !== undefined;
  throw new LocalError(
    `Table ${table.TableName} in ${place} has other keys or indexes than the stack declares: move that data away, ` +
      "or choose another data folder.",
    { option: "dataDirectory" },
  );
};

const createTable = async (client: DynamoDBClient, table: TableDefinition): Promise<void> => {
  const { GlobalSecondaryIndexes, LocalSecondaryIndexes, ...rest } = table;
  await client.send(
    new CreateTableCommand({
      ...rest,
      BillingMode: "PAY_PER_REQUEST",
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
      ...(LocalSecondaryIndexes.length > 0 && { LocalSecondaryIndexes }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName: table.TableName });
};

const describeTable = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

// Databases list keys and indexes in any order and add properties of their own.
const shapeOf = (table: TableDefinition | TableDescription): string => {
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const keysOf = (keys: TableDescription["KeySchema"] = []) =>
    keys.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).toSorted();
  return JSON.stringify({
    attributes: (table.AttributeDefinitions ?? [])
      .map(({ AttributeName, AttributeType }) => `${AttributeName} ${AttributeType}`)
      .toSorted(),
    keys: keysOf(table.KeySchema),
    indexes: indexes
      .map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName,
        keys: keysOf(KeySchema),
        projection: Projection?.ProjectionType,
        attributes: Projection?.NonKeyAttributes?.toSorted() ?? [],
      }))
      .toSorted((left, right) => String(left.name).localeCompare(String(right.name))),
  });
};

// A refused connection is an AggregateError without a message.
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : messageOf(error);
