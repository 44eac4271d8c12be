import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";
import { afterAll, beforeAll, vi } from "vitest";
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
export const useDatabase = (): { newTable(table: string | TableShape, sortKey?: string): Promise<TestTable> } => {
  const tables: string[] = [];
  let embedded: Server | undefined;
  let client: DynamoDBClient | undefined;

  beforeAll(async () => {
    // The credentials of the local run: a local database accepts any.
    for (const [name, value] of Object.entries(anyCredentials)) vi.stubEnv(name, process.env[name] ?? value);
    if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) embedded = await startEmbedded();
    // More patient than the functions' client: a slow machine must not look like a lost response.
    client = new DynamoDBClient({ maxAttempts: 3 });
  });

  afterAll(async () => {
    for (const TableName of tables) await client?.send(new DeleteTableCommand({ TableName }));
    client?.destroy();
    embedded?.close();
  });

  return {
    async newTable(shape, sortKey) {
      if (!client) throw new Error("a table is made in a hook or a test");
      const declared = typeof shape === "string" ? { partitionKey: shape, sortKey } : shape;
      const table = `test-${declared.partitionKey}-${randomUUID()}`;
      await createTable(client, table, declared);
      tables.push(table);
      return { client, table };
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

/** A client whose next response is lost, so that the SDK sends the request again. */
export const loseNextAnswer = (client: DynamoDBClient): void => {
  let lost = false;
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      if (lost) return answer;
      lost = true;
      throw Object.assign(new Error("the connection was reset"), { name: "TimeoutError" });
    },
    { step: "deserialize", priority: "high", name: "loseNextAnswer", override: true },
  );
};

/** Records the responses that DynamoDB returns to a client. */
export const noteAnswers = (client: DynamoDBClient): object[] => {
  const answers: object[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      answers.push(result.output);
      return result;
    },
    { step: "initialize", name: "noteAnswers", override: true },
  );
  return answers;
};

/** Records the actions that a client performs, as IAM names them. */
export const noteActions = (client: DynamoDBClient): string[] => {
  const actions: string[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        actions.push(String(commandName).replace(/Command$/, ""));
        return next(args);
      },
    { step: "initialize", name: "noteActions", override: true },
  );
  return actions;
};
