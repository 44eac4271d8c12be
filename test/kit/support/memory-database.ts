import type { IncomingHttpHeaders, Server } from "node:http";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DatabaseAccess } from "cdk-local-runner";
import { createDatabaseServer, localAwsEnvironment, type Reply } from "cdk-local-runner/parts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import { tableDefinition } from "./create-table.ts";
import { listen } from "./listen.ts";
import type { TableOperations } from "./table-access.ts";

export interface MemoryDatabase {
  access: DatabaseAccess;
  server: Server;
  /** Handles a request from this process as if it had arrived over the network. Listeners on `server` do not see the request. */
  respond(headers: IncomingHttpHeaders, body: Buffer): Reply;
  /** A client that calls the database directly, without a connection. */
  client: DynamoDBClient;
  /** Calls the database without a client, because a client would take longer than the database itself. */
  operations: TableOperations;
  close(): void;
}

/** Starts the embedded database in memory. It accepts any credentials and does not check permissions. */
export const startMemoryDatabase = async (): Promise<MemoryDatabase> => {
  const { server, respond } = createDatabaseServer({ environment: localAwsEnvironment() });
  const endpoint = await listen(server);

  const { client, operations } = directAccess(respond);
  return {
    access: { endpoint, region: "us-east-1" },
    server,
    respond,
    client,
    operations,
    close: () => {
      client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
};

/** A database that only this process can call, and that ends with it. */
export type OwnDatabase = Pick<MemoryDatabase, "client" | "operations">;

/** Opens the embedded database in memory, with these tables. */
export const openMemoryDatabase = (tables: Tables): OwnDatabase => {
  const { respond } = createDatabaseServer({ environment: localAwsEnvironment() });
  for (const [name, table] of Object.entries(tables)) ask(respond, "CreateTable", tableDefinition(name, table));
  return directAccess(respond);
};

const directAccess = (respond: MemoryDatabase["respond"]): OwnDatabase => ({
  client: directClient(respond),
  operations: {
    batchWriteItem: async (request) => ask(respond, "BatchWriteItem", request),
    putItem: async (request) => ask(respond, "PutItem", request),
    scan: async (request) => ask(respond, "Scan", request),
  },
});

const ask = (respond: MemoryDatabase["respond"], operation: string, request: object) => {
  const { status, body } = respond(targetOf(operation), Buffer.from(JSON.stringify(request)));
  if (status !== 200) throw new Error(`The database refused ${operation}: ${body}`);
  return JSON.parse(body.toString());
};

const targetOf = (operation: string) => ({
  host: "127.0.0.1",
  "content-type": "application/x-amz-json-1.0",
  "x-amz-target": `DynamoDB_20120810.${operation}`,
});

const directClient = (respond: MemoryDatabase["respond"]): DynamoDBClient =>
  new DynamoDBClient({
    region: "us-east-1",
    endpoint: "http://127.0.0.1",
    credentials: { accessKeyId: "direct", secretAccessKey: "direct" },
    signer: { sign: async (request) => request },
    requestHandler: {
      async handle({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
        const reply = respond(headers, Buffer.concat([body]));
        return { response: { statusCode: reply.status, headers: reply.headers, body: reply.body } };
      },
    },
  });
