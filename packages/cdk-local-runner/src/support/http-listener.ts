import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { codeOf, LocalError, messageOf } from "./local-error.ts";

/** The only address that a local run listens on. Other machines can't reach it. */
export const host = "127.0.0.1";

// API Gateway's limit for the request line and headers combined.
const maximumHeaderBytes = 10_240;

/** A port that is opened when the run begins, and served once there is something to serve. */
export interface HttpListener {
  url: string;
  /** Sets or replaces the listener. Requests that arrived before the first call are handled now. */
  serve: (listener: RequestListener) => void;
  /** Accepts no new connections, and waits at most the given time for requests in progress. */
  close: (graceMilliseconds: number) => Promise<void>;
}

/** Opens a port; 0 means any free port. Error messages say what the port is for, which is given by `use`. */
export const openListener = async (port: number, use: string): Promise<HttpListener> => {
  let listener: RequestListener | undefined;
  const early: [IncomingMessage, ServerResponse<IncomingMessage> & { req: IncomingMessage }][] = [];
  const server = createServer({ maxHeaderSize: maximumHeaderBytes }, (request, response) => {
    if (listener) listener(request, response);
    else early.push([request, response]);
  });
  server.keepAliveTimeout = 75_000;
  // A client may close its side of the connection after sending its request and still gets its response, as in AWS. By default,
  // Node.js would close the other side immediately.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("clientError", (error, socket) => {
    if (!socket.writable) return socket.destroy();
    const isTooLong = codeOf(error) === "HPE_HEADER_OVERFLOW";
    const [status, message] = isTooLong
      ? ["431 Request Header Fields Too Large", "Request Header Fields Too Large"]
      : ["400 Bad Request", "Bad Request"];
    const body = JSON.stringify({ message });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw codeOf(error) === "EADDRINUSE" || codeOf(error) === "EACCES" ? portRefusal(error, port, use) : error;
  }
  return {
    url: `http://${host}:${portOf(server) ?? port}`,
    serve(next) {
      listener = next;
      for (const [request, response] of early.splice(0)) next(request, response);
    },
    close: (graceMilliseconds) => closeServer(server, graceMilliseconds),
  };
};

/** Returns the port that a server listens on. */
export const portOf = (server: Server): number | undefined => {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
};

/** Creates an error that says which port can't be opened and what it was for. */
export const portRefusal = (cause: unknown, port: number, use: string): LocalError => {
  const problem = codeOf(cause) === "EACCES" ? "may not be opened by this user" : "is in use by another program";
  return new LocalError(`Port ${port}, for ${use}, ${problem}: stop that program, or choose other ports.`, {
    cause,
    option: "port",
  });
};

/** Closes a server. Idle connections close immediately. Busy ones close after their response or the grace period. */
export const closeServer = async (server: Server, graceMilliseconds: number): Promise<void> => {
  if (!server.listening) return;
  const deadline = performance.now() + graceMilliseconds;
  // After its response, a busy connection becomes idle and would be kept alive.
  const sweep = setInterval(() => {
    if (performance.now() < deadline) server.closeIdleConnections();
    else server.closeAllConnections();
  }, 20);
  try {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
    });
  } finally {
    clearInterval(sweep);
  }
};

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

interface FailureOptions {
  /** The service that failed, for the log. */
  name: string;
  log: (text: string) => void;
  /** Sends the response to a request that failed. */
  fail: (response: ServerResponse) => void;
}

/** Creates a listener that logs why a request failed. */
export const withFailures =
  (handle: Handle, { name, log, fail }: FailureOptions): RequestListener =>
  (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log(`${name}: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else fail(response);
    });
  };

/** Sends JSON that people can read too. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  contentType = "application/json",
): void => {
  response.writeHead(status, { "content-type": contentType }).end(`${JSON.stringify(value, undefined, 2)}\n`);
};

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML or HTML. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/**
 * Reads a request's body; undefined if it is longer than `maximumBytes`. The rest of such a body is still read and dropped, so that
 * the client has finished sending when it gets its response. Rejects if the client disconnects.
 */
export const readBody = async (request: IncomingMessage, maximumBytes: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maximumBytes) chunks.push(chunk);
  }
  return bytes > maximumBytes ? undefined : Buffer.concat(chunks);
};

/**
 * Whether the `Host` is not this machine's own name. In that case, a web page may have bound its name to this address (DNS
 * rebinding).
 */
export const hasForeignHost = ({ host = "" }: IncomingHttpHeaders): boolean =>
  !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

/**
 * Whether a web page sent the request. Browsers send the page's origin, and the `Host` reveals a page that bound its name to this
 * address. Endpoints that accept any credentials must reject web pages.
 */
export const isFromWebPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || hasForeignHost(headers);

export const webPageRefusal = "Requests from web pages are refused: use a program, and the address 127.0.0.1.";
