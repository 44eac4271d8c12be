import { Agent as HttpAgent, request as requestOverHttp } from "node:http";
import { Agent as HttpsAgent, request as requestOverHttps } from "node:https";
import type { Socket } from "node:net";
import { endInTime } from "./deadline.ts";

/** How long an attempt waits for a connection. */
const connectionMilliseconds = 500;

/** How long an attempt waits for the first part of a response, counted from its start, and then for each further part. */
const responseMilliseconds = 1_000;

/** A request that the SDK has signed. */
interface SignedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** The options with which the SDK calls the handler. */
interface HandlerOptions {
  abortSignal?: unknown;
}

interface CompleteResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The parts of `http.ClientRequest` and its response that this file uses. */
export interface Outgoing {
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "socket", listener: (socket: Socket) => void): unknown;
  once(event: "response", listener: (incoming: Incoming) => void): unknown;
  end(body?: string | Uint8Array): unknown;
  destroy(error: Error): unknown;
}

interface Incoming {
  statusCode?: number | undefined;
  headers: object;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "end", listener: () => void): unknown;
}

/** Begins requests, over the network or in the simulation. */
export interface Connection {
  begin(request: { method: string; path: string; headers: string[] }): Outgoing;
  destroy(): void;
}

/** Connects to a host and keeps connections open. */
const connectTo = ({ protocol, hostname, port }: URL): Connection => {
  const isSecure = protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: 50 };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const send = isSecure ? requestOverHttps : requestOverHttp;
  // In a URL, an IPv6 address is in brackets.
  const host = hostname.replace(/^\[|\]$/g, "");
  return {
    begin: (request) => send({ agent, host, port, ...request }),
    destroy: () => agent.destroy(),
  };
};

/**
 * Sends requests to a host. The SDK's own handler needs four timers and twice as many listeners per request, and leaves reading the
 * response to its caller.
 *
 * An attempt whose response is incomplete fails with an error that the SDK retries. When the operation runs out of time, the
 * attempt and its connection end: see `withDeadline`.
 */
export const httpHandler = (url: URL, { begin, destroy } = connectTo(url)) => {
  const handle = (
    { method, path, headers, body }: SignedRequest,
    { abortSignal }: HandlerOptions = {},
  ): Promise<{ response: CompleteResponse }> =>
    new Promise((resolve, reject) => {
      if (abortSignal) throw new Error("Calls end with the deadline of their operation, and not by an AbortSignal.");
      const stopWaiting = endInTime((error) => outgoing.destroy(error));
      // If headers are in an array, Node.js writes them directly, without storing them first.
      const outgoing = begin({ method, path, headers: Object.entries(headers).flat() });
      const timer = setTimeout(() => outgoing.destroy(timeoutError("No response in time.")), responseMilliseconds);
      const settle = () => {
        clearTimeout(timer);
        stopWaiting();
      };
      const fail = (error: Error) => {
        settle();
        reject(error);
      };
      outgoing.on("error", fail);
      outgoing.once("socket", (socket) => {
        if (socket.connecting) limitConnecting(socket);
      });
      outgoing.once("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk) => {
          timer.refresh();
          chunks.push(chunk);
        });
        incoming.on("error", fail);
        incoming.once("end", () => {
          settle();
          const { statusCode = 0, headers } = incoming;
          const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          resolve({ response: { statusCode, headers: headers as Record<string, string>, body } });
        });
      });
      outgoing.end(body);
    });

  return { handle, destroy };
};

const limitConnecting = (socket: Socket): void => {
  const timer = setTimeout(() => socket.destroy(timeoutError("No connection in time.")), connectionMilliseconds);
  socket.once("connect", () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));
};

/** Creates an error with the name by which the SDK recognises a timeout. */
const timeoutError = (message: string): Error => Object.assign(new Error(message), { name: "TimeoutError" });
