import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Reply } from "cdk-local-runner/parts";
import { exampleRecord } from "../../../lambdas/declaration/example-record.ts";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { type Item, toItem } from "../../../lambdas/dynamodb/records.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import { isRecordTable } from "../support/table-states.ts";

/** A database request, as a fault receives it. */
interface Exchange {
  /** The operation of the request, such as `GetItem`, and its input. */
  operation: string;
  input: Record<string, unknown>;
  /** Passes the request on to the database and returns its response. */
  forward(): Reply;
  send(reply: Reply): void;
  /** The underlying response, for faults that send incomplete responses. */
  response: ServerResponse;
  reset(): void;
}

export type Fault = (exchange: Exchange) => void | Promise<void>;

const reply = (status: number, body: string): Reply => ({
  status,
  headers: {
    "content-type": "application/x-amz-json-1.0",
    "content-length": String(Buffer.byteLength(body)),
    "x-amz-crc32": String(crc32(body)),
  },
  body: Buffer.from(body),
});

const error =
  (status: number, name: string): Fault =>
  ({ send }) =>
    send(reply(status, JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "Injected." })));

/** Returns the attributes of an item that was not requested, whichever of these tables is read. */
const anotherOf = (tables: Tables): Item => {
  const items = Object.values(tables).map((table) => {
    const fields = Object.entries(exampleRecord(table)).map(([name, value]) => [name, other(value)]);
    return toItem(Object.fromEntries(fields), table.schema, nestedCodec);
  });
  return Object.assign({}, ...items);
};

/** Returns another text or number of the same form. */
const other = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1;
  return typeof value === "string" ? value.slice(0, -1) + (value.endsWith("0") ? "1" : "0") : value;
};

/** Returns a response that belongs to another request of the same kind. */
const responseToAnother = ({ operation, input }: Exchange, tables: Tables): Reply => {
  const item = anotherOf(tables);
  const isOfRecords = Object.entries(tables).some(
    ([store, table]) => isRecordTable(table) && `${store}table`.toLowerCase() === String(input.TableName).toLowerCase(),
  );
  // The other tables have indexes whose pages are filtered, so another's item is no different from one that was filtered out.
  if (operation === "Query" && isOfRecords)
    return reply(200, JSON.stringify({ Items: [item], Count: 1, ScannedCount: 1 }));
  if (operation !== "TransactWriteItems") return reply(200, JSON.stringify({ Item: item, Attributes: item }));
  const [first, ...rest] = input.TransactItems as unknown[];
  const reasons = [
    first && { Code: "ConditionalCheckFailed", Item: item },
    ...rest.map(() => ({ Code: "TransactionConflict" })),
  ];
  const type = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
  return reply(400, JSON.stringify({ __type: type, Message: "Injected.", CancellationReasons: reasons }));
};

/** Sends the headers and half of the response. Returns the other half. */
const sendHalf = async ({ forward, response }: Exchange): Promise<Buffer> => {
  const { status, headers, body } = forward();
  const middle = Math.ceil(body.length / 2);
  response.writeHead(status, { ...headers, "content-length": String(body.length + 1) });
  response.write(body.subarray(0, middle));
  return body.subarray(middle);
};

/** Returns one fault of each kind. The tests of the stores cover all damaged responses. */
export const quickFaultsOn = (tables: Tables) =>
  ({
    "a reset before the work": ({ reset }) => reset(),
    "a lost response": ({ forward, reset }) => {
      forward();
      reset();
    },
    throttling: error(400, "ProvisionedThroughputExceededException"),
    "a failure": error(500, "InternalServerError"),
    "another's item": (exchange) => exchange.send(responseToAnother(exchange, tables)),
  }) satisfies Readonly<Record<string, Fault>>;

/** Faults that make the client wait before it can give up. */
export const slowFaults = {
  "no response": () => {},
  "no response after the work": ({ forward }) => void forward(),
  "half a response": async (exchange) => void (await sendHalf(exchange)),
  "a response byte by byte": async (exchange) => {
    for (const byte of await sendHalf(exchange)) {
      if (exchange.response.destroyed) return;
      exchange.response.write(Buffer.of(byte));
      await sleep(200);
    }
  },
  "a complete response that takes a while": async ({ forward, send }) => {
    const reply = forward();
    await sleep(60);
    send(reply);
  },
} satisfies Readonly<Record<string, Fault>>;

export interface FaultProxy {
  url: string;
  /** Returns the number of requests since the last call of `plan`. */
  requests(): number;
  /** Applies a fault to the selected requests, which are counted from 1. */
  plan(fault?: Fault, isMeant?: (request: number) => boolean): void;
  /** Waits until every request has either received its whole response or lost its connection because the client closed it. */
  idle(): Promise<void>;
  /** Rejects new connections, and closes the existing ones. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
}

/**
 * Starts a proxy in front of the database. It makes chosen requests fail in the same way as networks, overload and failing machines
 * do.
 */
export const startFaultProxy = async ({ respond }: Pick<MemoryDatabase, "respond">): Promise<FaultProxy> => {
  let requests = 0;
  let planned: { fault: Fault | undefined; isMeant: (request: number) => boolean } | undefined;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    requests += 1;
    const exchange: Exchange = {
      operation: String(incoming.headers["x-amz-target"]).split(".")[1] ?? "",
      input: JSON.parse(body.toString()),
      response,
      forward: () => respond(incoming.headers, body),
      send: ({ status, headers, body: text }) => void response.writeHead(status, headers).end(text),
      reset: () => void incoming.socket.resetAndDestroy(),
    };
    if (planned?.fault && planned.isMeant(requests)) await planned.fault(exchange);
    else exchange.send(exchange.forward());
  };

  const open = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    open.add(closed);
    response.once("close", () => {
      open.delete(closed);
      resolve();
    });
    // Clients are expected to give up in the middle of a request, because the faults are meant to cause that.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 75_000;
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    plan(fault, isMeant = () => true) {
      requests = 0;
      planned = { fault, isMeant };
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
    },
    async refuse() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    accept: () => listen(port),
  };
};
