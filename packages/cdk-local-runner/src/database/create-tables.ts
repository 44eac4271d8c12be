import { setTimeout as wait } from "node:timers/promises";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "../assembly/tables.ts";
import type { DatabaseAccess } from "../support/aws-environment.ts";
import { LocalError, messageOf } from "../support/local-error.ts";

// In another DynamoDB, a large table takes minutes.
const maximumAttempts = 600;

/**
 * Creates missing tables, and adds and removes global secondary indexes. Existing ones must have the template's keys, which is
 * checked first.
 *
 * @param place the database's folder or address, for the error message
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
    const differences = await Promise.all(
      tables.map(async (table) => ({ table, difference: await differenceIn(client, table, place) })),
    );
    await Promise.all(
      differences.map(({ table, difference }) =>
        difference === undefined ? createTable(client, table) : updateIndexes(client, table, difference),
      ),
    );
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

/** The names of global secondary indexes. */
interface Difference {
  missing: string[];
  superfluous: string[];
}

/** Compares an existing table's indexes with its definition; undefined if the table doesn't exist. */
const differenceIn = async (
  client: DynamoDBClient,
  table: TableDefinition,
  place: string,
): Promise<Difference | undefined> => {
  const existing = await describeTable(client, table.TableName);
  if (existing === undefined) return undefined;
  const [found, declared] = [shapesOf(existing), shapesOf(table)];
  const missing = [...declared.keys()].filter((name) => !found.has(name));
  const superfluous = [...found.keys()].filter((name) => !declared.has(name));
  const isKept = [...found].every(([name, shape]) => (declared.get(name) ?? shape) === shape);
  if (isKept) return { missing, superfluous };
  throw new LocalError(
    `Table ${table.TableName} in ${place} has different keys or indexes from those that the stack declares, and the keys of an existing table cannot change: ` +
      "move that data away and start again, or choose another data folder.",
    { option: "dataDirectory" },
  );
};

/** Removes and adds indexes one at a time, because DynamoDB changes only one at a time, and waits until all are complete. */
const updateIndexes = async (
  client: DynamoDBClient,
  table: TableDefinition,
  { missing, superfluous }: Difference,
): Promise<void> => {
  const { TableName } = table;
  await untilComplete(client, TableName);
  for (const IndexName of superfluous) {
    const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName } }];
    await client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
    await untilComplete(client, TableName);
  }
  for (const Create of table.GlobalSecondaryIndexes.filter(({ IndexName }) => missing.includes(IndexName))) {
    const keys = [table, Create].flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName));
    const AttributeDefinitions = table.AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName));
    const GlobalSecondaryIndexUpdates = [{ Create }];
    await client.send(new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }));
    await untilComplete(client, TableName);
  }
};

const createTable = async (client: DynamoDBClient, table: TableDefinition): Promise<void> => {
  const { GlobalSecondaryIndexes: indexes, ...rest } = table;
  const GlobalSecondaryIndexes = indexes.length > 0 ? indexes : undefined;
  await client.send(new CreateTableCommand({ ...rest, GlobalSecondaryIndexes, BillingMode: "PAY_PER_REQUEST" }));
  await untilComplete(client, table.TableName);
};

const untilComplete = async (client: DynamoDBClient, tableName: string): Promise<void> => {
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    const { TableStatus, GlobalSecondaryIndexes = [] } = (await describeTable(client, tableName)) ?? {};
    const states = [TableStatus, ...GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus)];
    if (states.every((state) => state === "ACTIVE")) return;
    await wait(1000);
  }
  throw new Error(`the table ${tableName} and its indexes were not complete after ${maximumAttempts} seconds`);
};

const describeTable = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

/**
 * Returns the keys of a table (under "") and the keys and projection of each index by name. Databases list indexes and attributes
 * in any order, but keys of one kind in theirs.
 */
const shapesOf = (table: TableDefinition | TableDescription): Map<string, string> => {
  const typeOf = (name?: string) =>
    table.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const keysOf = (keys: TableDescription["KeySchema"] = []) =>
    ["HASH", "RANGE"].flatMap((kind) =>
      keys
        .filter(({ KeyType }) => KeyType === kind)
        .map(({ AttributeName }) => `${kind} ${AttributeName} ${typeOf(AttributeName)}`),
    );
  const shapes = new Map([["", JSON.stringify(keysOf(table.KeySchema))]]);
  for (const { IndexName = "", KeySchema, Projection } of table.GlobalSecondaryIndexes ?? []) {
    const projected = Projection?.NonKeyAttributes?.toSorted() ?? [];
    shapes.set(IndexName, JSON.stringify([keysOf(KeySchema), Projection?.ProjectionType, projected]));
  }
  return shapes;
};

// A refused connection is an AggregateError without a message.
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : messageOf(error);
