import { rm } from "node:fs/promises";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll } from "vitest";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "../../src/database/embedded-database.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { newDirectory } from "./folders.ts";

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

/**
 * An embedded database that all tests of a file share, with the tables `Items` (partition key `id`) and `Sorted` (partition
 * key `id`, sort key `sort`), all of them strings. It can be asked for once the tests run.
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
    for (const [TableName, keys] of [
      ["Items", ["id"]],
      ["Sorted", ["id", "sort"]],
    ] as const) {
      await database.client.send(
        new CreateTableCommand({
          TableName,
          AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
          KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
          BillingMode: "PAY_PER_REQUEST",
        }),
      );
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
