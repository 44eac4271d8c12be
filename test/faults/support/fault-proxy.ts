import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Reply } from "cdk-local-runner/parts";
import type { MemoryDatabase } from "../../../tools/support/memory-database.ts";

/** A call on its way to the database. */
export interface Call {
  /** `GetItem` */
  operation: string;
  /** The name of the table. */
  table: string;
  /** The JSON text that was sent. */
  body: string;
}

/** A call as a fault gets it. */
export interface Exchange {
  /** Passes the call on to the database and returns its response. */
  forward(): Reply;
  answer(reply: Reply): void;
  /** The underlying response, for incomplete responses. */
  response: ServerResponse;
  /** Resets the connection. */
  reset(): void;
}

export type Fault = (exchange: Exchange) => void | Promise<void>;

interface Rule {
  matches(call: Call): boolean;
  fault: Fault;
  /** How many calls meet it. */
  times: number;
}

export interface Injected {
  /** How many calls have met the fault. */
  hits(): number;
  remove(): void;
}

export interface FaultProxy {
  url: string;
  /** Lets the calls that match meet a fault. */
  inject(rule: Rule): Injected;
  /** Refuses new connections, and closes the existing ones. */
  refuse(): Promise<void>;
  /** Accepts connections again. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy in front of the database that makes chosen calls fail as networks, overload and failing machines do. */
export const startFaultProxy = async ({ respond }: Pick<MemoryDatabase, "respond">): Promise<FaultProxy> => {
  const rules = new Set<Rule & { hits: number }>();

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const { TableName: table = "" }: { TableName?: string } = JSON.parse(body.toString());
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const call = { operation, table, body: body.toString() };
    const rule = [...rules].find((one) => one.hits < one.times && one.matches(call));
    const exchange = exchangeOf(incoming, { response, forward: () => respond(incoming.headers, body) });
    if (!rule) return exchange.answer(exchange.forward());
    rule.hits += 1;
    await rule.fault(exchange);
  };

  const server = createServer((incoming, response) => {
    // Clients are expected to give up in the middle of a call: the faults are meant to cause that.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 75_000;
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const refuse = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };

  return {
    url: `http://127.0.0.1:${port}`,
    inject(rule) {
      const active = { ...rule, hits: 0 };
      rules.add(active);
      return { hits: () => active.hits, remove: () => void rules.delete(active) };
    },
    refuse,
    accept: () => listen(port),
    close: refuse,
  };
};

const exchangeOf = (
  { socket }: IncomingMessage,
  { response, forward }: Pick<Exchange, "response" | "forward">,
): Exchange => ({
  response,
  forward,
  answer: ({ status, headers, body }) => void response.writeHead(status, headers).end(body),
  reset: () => void socket.resetAndDestroy(),
});
