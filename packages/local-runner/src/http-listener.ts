import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { codeOf, LocalError } from "./local-error.ts";

/** The one address that the local run listens on: nobody else's machine can reach it. */
export const host = "127.0.0.1";

// API Gateway's limit for a request line and headers together.
const maximumHeaderBytes = 10_240;

/** A port that is held from the first moment of the run, and served once there is something to serve. */
export interface HttpListener {
  readonly port: number;
  readonly url: string;
  /** Sets what answers; requests that came earlier are answered now. */
  readonly serve: (listener: RequestListener) => void;
  /** Answers what is running, for at most the given time, and takes nothing new. */
  readonly close: (graceMilliseconds: number) => Promise<void>;
}

/** Opens a port. `use` says in the error message what the port is for; port 0 takes any free one. */
export async function openListener(port: number, use: string): Promise<HttpListener> {
  let listener: RequestListener | undefined;
  const early: [IncomingMessage, ServerResponse<IncomingMessage> & { req: IncomingMessage }][] = [];
  const server = createServer({ maxHeaderSize: maximumHeaderBytes }, (request, response) => {
    if (listener) listener(request, response);
    else early.push([request, response]);
  });
  server.keepAliveTimeout = 75_000;
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
  const address = server.address();
  const actualPort = typeof address === "object" && address ? address.port : port;
  return {
    port: actualPort,
    url: `http://${host}:${actualPort}`,
    serve(next) {
      listener = next;
      for (const [request, response] of early.splice(0)) next(request, response);
    },
    close: (graceMilliseconds) => closeServer(server, graceMilliseconds),
  };
}

/** Says which port is not to be had, what it was for, and how to choose others. */
export function portRefusal(cause: unknown, port: number, use: string): LocalError {
  const problem = codeOf(cause) === "EACCES" ? "may not be opened by this user" : "is in use by another program";
  return new LocalError(
    `Port ${port}, for ${use}, ${problem}: stop that program, or choose other ports with PORT=4000 npm start.`,
    { cause },
  );
}

/** Closes a server: idle connections at once, busy ones when they are answered or the grace is over. */
export async function closeServer(server: Server, graceMilliseconds: number): Promise<void> {
  if (!server.listening) return;
  const deadline = performance.now() + graceMilliseconds;
  // A connection that was busy a moment ago is idle, and kept alive, once it is answered.
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
}
