import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type AttributeValue, BatchWriteItemCommand, PutItemCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import { createTable } from "../../../../tools/support/create-table.ts";
import { startMemoryDatabase } from "../../../../tools/support/memory-database.ts";

export interface DatabaseRequest {
  /** `BatchWriteItem` */
  operation: string;
  /** The region that the request is signed for. */
  region: string;
  body: Record<string, unknown>;
}

/** The fate of a request: undefined lets it through, once the promise resolves. */
export type Intercept = (request: DatabaseRequest) => Answer | undefined | Promise<Answer | undefined>;

interface Answer {
  status: number;
  body: object;
}

type Item = Record<string, AttributeValue>;

/** A DynamoDB in memory that records all requests, and returns the responses to some of them that a test specifies. */
export const startObservedDatabase = async () => {
  const { access, server, respond, client, close } = await startMemoryDatabase();
  const requests: DatabaseRequest[] = [];
  let intercept: Intercept = () => undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const content = await buffer(request);
    const { headers } = request;
    const seen: DatabaseRequest = {
      operation: String(headers["x-amz-target"]).split(".").at(-1) ?? "",
      region: /Credential=[^/]+\/\d+\/([^/]+)/.exec(String(headers.authorization))?.[1] ?? "",
      body: JSON.parse(content.toString()),
    };
    requests.push(seen);
    const answered = await intercept(seen);
    if (answered) {
      response.writeHead(answered.status, { "content-type": "application/x-amz-json-1.0" });
      return void response.end(JSON.stringify(answered.body));
    }
    const reply = await respond(headers, content);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    // The client of such a request has been killed.
    answer(request, response).catch(() => response.destroy());
  });

  return {
    /** The environment of a command that uses it. */
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: access.endpoint,
      AWS_REGION: access.region,
      AWS_ACCESS_KEY_ID: "operator",
      AWS_SECRET_ACCESS_KEY: "operator",
    },
    requests,
    set intercept(next: Intercept) {
      intercept = next;
    },
    createTable: (name: string, [partitionKey, sortKey]: [string, string?] = ["key_id"]) =>
      createTable(client, name, { partitionKey, sortKey }),
    async put(name: string, ...items: Item[]) {
      for (const Item of items) await client.send(new PutItemCommand({ TableName: name, Item }));
    },
    /** Adds this many items with the keys `key-0`, `key-1`, … */
    async fill(name: string, count: number) {
      for (let start = 0; start < count; start += 25) {
        const puts = Array.from({ length: Math.min(25, count - start) }, (_, index) => ({
          PutRequest: { Item: { key_id: { S: `key-${start + index}` } } },
        }));
        await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: puts } }));
      }
    },
    /** All items in the order of their keys. */
    async items(name: string): Promise<Item[]> {
      const items: Item[] = [];
      for await (const { Items = [] } of paginateScan({ client }, { TableName: name })) items.push(...Items);
      return items.toSorted((a, b) => JSON.stringify(a.key_id).localeCompare(JSON.stringify(b.key_id)));
    },
    client,
    close,
  };
};

export type ObservedDatabase = Awaited<ReturnType<typeof startObservedDatabase>>;
