import { Agent as HttpAgent, request as requestOverHttp } from "node:http";
import { Agent as HttpsAgent, request as requestOverHttps } from "node:https";
import type { Socket } from "node:net";

/** How long an attempt waits for a connection. */
const connectionMilliseconds = 500;

/** How long an attempt waits for a response, from its beginning, and then for each further part of it. */
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

/** The SDK's request handler, which makes one attempt of a call. */
interface RequestHandler {
  /** Rejects if the response is incomplete. The SDK repeats an attempt that fails with such an error. */
  handle: (request: SignedRequest) => Promise<{ response: CompleteResponse }>;
  destroy: () => void;
}

/**
 * Sends requests to a host over connections that are kept open. The SDK's own handler does the same with four timers and twice
 * as many listeners for each request, and leaves collecting the response to others.
 */
export const httpHandler = ({ protocol, hostname, port }: URL): RequestHandler => {
  const isSecure = protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: 50 };
  // Node.js would find out that a name is no IP address, with a slow regular expression.
  const servername = /[a-z]$/.test(hostname) ? { servername: hostname } : {};
  const agent = isSecure ? new HttpsAgent({ ...agentOptions, ...servername }) : new HttpAgent(agentOptions);
  const send = isSecure ? requestOverHttps : requestOverHttp;
  // A URL has an IPv6 address in brackets.
  const host = hostname.replace(/^\[|\]$/g, "");

  const handle = ({ method, path, headers, body }: SignedRequest): Promise<{ response: CompleteResponse }> =>
    new Promise((resolve, reject) => {
      // As an array, Node.js writes them without storing them first.
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

/** An error of the name that the SDK knows. */
const timeoutError = (message: string): Error => Object.assign(new Error(message), { name: "TimeoutError" });
