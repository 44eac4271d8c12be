import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders, Server } from "node:http";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DatabaseAccess } from "cdk-local-runner";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";
import type { TableOperations } from "./table-states.ts";

/** The database's response to a request. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface MemoryDatabase {
  access: DatabaseAccess;
  server: Server;
  /** Handles a request from this process as if it had come over the network. Listeners on `server` do not see it. */
  respond(headers: IncomingHttpHeaders, body: Buffer): Promise<Reply>;
  /** A client that calls the database directly, without a connection. */
  client: DynamoDBClient;
  /** Calls the database without a client, which would take longer than the database itself. */
  operations: TableOperations;
  close(): void;
}

/** The embedded database, in memory. It accepts any credentials and does not check permissions. */
export const startMemoryDatabase = async (): Promise<MemoryDatabase> => {
  const { server } = createDatabaseServer({ environment: localAwsEnvironment() });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the embedded database has no port");

  const [serve] = server.listeners("request");
  if (!serve) throw new Error("the embedded database has no request listener");
  const respond: MemoryDatabase["respond"] = (headers, body) =>
    new Promise((resolve, reject) => {
      const request = Object.assign(new EventEmitter(), { method: "POST", url: "/", headers });
      serve(request, responseFor(resolve, reject));
      request.emit("data", body);
      request.emit("end");
    });
  const ask = async (operation: string, request: object) => {
    const headers = { ...signature, ...targetOf(operation) };
    const { status, body } = await respond(headers, Buffer.from(JSON.stringify(request)));
    if (status !== 200) throw new Error(`The database refused ${operation}: ${body}`);
    return JSON.parse(body.toString());
  };
  const client = directClient(respond);
  return {
    access: { endpoint: `http://127.0.0.1:${address.port}`, region: "us-east-1" },
    server,
    respond,
    client,
    operations: {
      batchWriteItem: (request) => ask("BatchWriteItem", request),
      putItem: (request) => ask("PutItem", request),
      scan: (request) => ask("Scan", request),
    },
    close: () => {
      client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
};

/** The part of a `ServerResponse` that the database uses. */
const responseFor = (resolve: (reply: Reply) => void, reject: (error: Error) => void) => {
  const headers: Record<string, string> = {};
  return {
    statusCode: 200,
    setHeader(name: string, value: unknown) {
      headers[name.toLowerCase()] = String(value);
    },
    writeHead(status: number, more: Record<string, unknown> = {}) {
      this.statusCode = status;
      for (const [name, value] of Object.entries(more)) this.setHeader(name, value);
      return this;
    },
    end(body = "") {
      resolve({ status: this.statusCode, headers, body: Buffer.from(body) });
    },
    destroy: () => reject(new Error("The database has failed.")),
  };
};

/** The database wants a signature, but does not check it. */
const signature = {
  authorization: "AWS4-HMAC-SHA256 Credential=direct, SignedHeaders=host, Signature=none",
  "x-amz-date": "20260101T000000Z",
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
        const reply = await respond({ ...headers, ...signature }, Buffer.concat([body]));
        return { response: { statusCode: reply.status, headers: reply.headers, body: reply.body } };
      },
    },
  });
