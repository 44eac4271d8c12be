import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { DeleteTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";
import { afterAll, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Item, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { createTable } from "../../../tools/support/create-table.ts";

export interface TestTable {
  client: DynamoDBClient;
  table: string;
}

/** A declared table, or the name of its partition key. */
type TableShape = Parameters<typeof createTable>[2];

const anyCredentials = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

/**
 * Tables for the tests of one file: in the DynamoDB that `AWS_ENDPOINT_URL_DYNAMODB` names (with the region and the credentials
 * of the environment, if any), or else in an embedded one in memory, which refuses requests that it does not handle exactly.
 * They are deleted afterwards.
 */
export const useDatabase = (): { newTable(table: string | TableShape): Promise<TestTable> } => {
  const tables: string[] = [];
  let embedded: Server | undefined;
  let client: DynamoDBClient | undefined;

  const connect = async (): Promise<DynamoDBClient> => {
    // The credentials of the local run: a local database accepts any.
    for (const [name, value] of Object.entries(anyCredentials)) vi.stubEnv(name, process.env[name] ?? value);
    if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) embedded = await startEmbedded();
    // More patient than the functions' client: a slow machine must not look like a lost response.
    client = new DynamoDBClient({ maxAttempts: 3 });
    return client;
  };

  afterAll(async () => {
    for (const TableName of tables) await client?.send(new DeleteTableCommand({ TableName }));
    client?.destroy();
    embedded?.close();
  });

  return {
    async newTable(shape) {
      const connected = client ?? (await connect());
      const declared = typeof shape === "string" ? { partitionKey: shape } : shape;
      const table = `test-${declared.partitionKey}-${randomUUID()}`;
      await createTable(connected, table, declared);
      tables.push(table);
      return { client: connected, table };
    },
  };
};

/** The store of a declared table on a table of its own. Without a `database`, it can only be opened outside of tests. */
export const openTestStore = async <Declaration extends AnyTable>(
  declaration: Declaration,
  database = useDatabase(),
) => {
  const { client, table: tableName } = await database.newTable(declaration);
  const open = (client: DynamoDBClient) => openStore(declaration, { client, tableName });
  return {
    store: open(client),
    client,
    tableName,
    database,
    /** Another store on the same table. */
    open,
    /** Stores an item without the store. */
    put: (Item: Item) => client.send(new PutItemCommand({ TableName: tableName, Item })),
    /** The stored item with this key; empty if there is none. */
    async itemOf(key: Values): Promise<Item> {
      const command = new GetItemCommand({ TableName: tableName, Key: toItem(key), ConsistentRead: true });
      return (await client.send(command)).Item ?? {};
    },
  };
};

const startEmbedded = async (): Promise<Server> => {
  const { server } = createDatabaseServer({ environment: localAwsEnvironment() });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the embedded database has no port");
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${address.port}`,
    ...anyCredentials,
    AWS_PROFILE: undefined,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return server;
};
