import { Agent as HttpAgent, request as requestOverHttp } from "node:http";
import { Agent as HttpsAgent, request as requestOverHttps } from "node:https";
import type { Socket } from "node:net";

/** How long an attempt waits for a connection. */
const connectionMilliseconds = 500;

/** How long an attempt waits, from its start, for the first part of a response, and then for each further part. */
const responseMilliseconds = 1_000;

/** A request as the SDK has signed it. */
interface SignedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

interface CompleteResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Sends requests to a host over connections that are kept open. The SDK's own handler does the same with four timers and twice
 * as many listeners for each request, and leaves reading the response to its caller.
 *
 * An attempt whose response is incomplete fails with an error after which the SDK tries again.
 */
export const httpHandler = ({ protocol, hostname, port }: URL) => {
  const isSecure = protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: 50 };
  // Without it, Node.js uses a slow regular expression to check whether the name is an IP address.
  const servername = /[a-z]$/.test(hostname) ? { servername: hostname } : {};
  const agent = isSecure ? new HttpsAgent({ ...agentOptions, ...servername }) : new HttpAgent(agentOptions);
  const send = isSecure ? requestOverHttps : requestOverHttp;
  // In a URL, an IPv6 address is in brackets.
  const host = hostname.replace(/^\[|\]$/g, "");

  const handle = ({ method, path, headers, body }: SignedRequest): Promise<{ response: CompleteResponse }> =>
    new Promise((resolve, reject) => {
      // Node.js writes headers in an array without storing them first.
      const outgoing = send({ agent, host, port, method, path, headers: Object.entries(headers).flat() });
      const giveUp = () => outgoing.destroy(timeoutError("No response in time."));
      const timer = setTimeout(giveUp, responseMilliseconds);
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(error);
      };
      outgoing.on("error", fail);
      outgoing.once("socket", (socket) => {
        if (socket.connecting) limitConnecting(socket);
      });
      outgoing.once("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => {
          timer.refresh();
          chunks.push(chunk);
        });
        incoming.on("error", fail);
        incoming.once("end", () => {
          clearTimeout(timer);
          const { statusCode = 0, headers } = incoming;
          const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          resolve({ response: { statusCode, headers: headers as Record<string, string>, body } });
        });
      });
      outgoing.end(body);
    });

  return { handle, destroy: () => agent.destroy() };
};

const limitConnecting = (socket: Socket): void => {
  const timer = setTimeout(() => socket.destroy(timeoutError("No connection in time.")), connectionMilliseconds);
  socket.once("connect", () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));
};

/** An error with the name by which the SDK recognises a time-out. */
const timeoutError = (message: string): Error => Object.assign(new Error(message), { name: "TimeoutError" });
