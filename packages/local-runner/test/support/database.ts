import { rm } from "node:fs/promises";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll } from "vitest";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "../../src/database/embedded-database.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { newDirectory } from "./services.ts";

/** The access key of the function that the tests play. */
export const functionName = "writer";

export interface TestDatabase {
  url: string;
  /** A client from outside of the run. */
  client: DynamoDBClient;
  /** A client as the function `writer` has it, which may do everything. */
  functionClient: DynamoDBClient;
  /** What the run was told that it cannot go on with. */
  failures: string[];
}

const clientOf = (endpoint: string, accessKeyId: string) =>
  new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: "x" },
    maxAttempts: 3,
  });

/** The index of the table `Indexed`. */
export const byChange = {
  IndexName: "by_change",
  KeySchema: [
    { AttributeName: "change_shard", KeyType: "HASH" as const },
    { AttributeName: "changed_at", KeyType: "RANGE" as const },
  ],
  Projection: { ProjectionType: "INCLUDE" as const, NonKeyAttributes: ["history"] },
};

const stringKeys = (...names: string[]) => ({
  AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" as const })),
  KeySchema: names
    .slice(0, 2)
    .map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? ("HASH" as const) : ("RANGE" as const) })),
  BillingMode: "PAY_PER_REQUEST" as const,
});

/** A table with the partition key `id`, and an index of its items with `change_shard` and `changed_at`. */
export const indexedTable = {
  ...stringKeys("id"),
  AttributeDefinitions: stringKeys("id", "change_shard", "changed_at").AttributeDefinitions,
  GlobalSecondaryIndexes: [byChange],
};

/**
 * An embedded database that all tests of a file share, with the tables `Items` (partition key `id`), `Sorted` (partition
 * key `id`, sort key `sort`) and `Indexed` (partition key `id`, index `byChange`), all of them strings. It can be asked for
 * once the tests run.
 */
export const sharedDatabase = (): (() => TestDatabase) => {
  let directory: string;
  let embedded: EmbeddedDatabase;
  let database: TestDatabase;
  beforeAll(async () => {
    directory = await newDirectory();
    const failures: string[] = [];
    embedded = await startEmbeddedDatabase({
      dataDirectory: directory,
      port: 0,
      environment: localAwsEnvironment(),
      onFailure: ({ message }) => void failures.push(message),
    });
    await embedded.enforce(new Map([[functionName, [{ effect: "Allow", actions: ["*"], resources: ["*"] }]]]));
    const { url } = embedded;
    database = { url, client: clientOf(url, "outside"), functionClient: clientOf(url, functionName), failures };
    const tables = { Items: stringKeys("id"), Sorted: stringKeys("id", "sort"), Indexed: indexedTable };
    for (const [TableName, table] of Object.entries(tables)) {
      await database.client.send(new CreateTableCommand({ TableName, ...table }));
    }
  });
  afterAll(async () => {
    database.client.destroy();
    database.functionClient.destroy();
    await embedded.close();
    await rm(directory, { recursive: true });
  });
  return () => database;
};
