import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A request as it came over the wire. */
export interface WireRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** `GetItem` */
  operation: string;
  /** How many requests had been answered when this one came: what was waited for before it was sent. */
  answersBefore: number;
}

export interface StubAnswer {
  status?: number;
  body: object | string;
}

export interface DynamoDBStub {
  endpoint: string;
  requests: WireRequest[];
  close(): Promise<void>;
}

/**
 * Stands in for DynamoDB with whatever answers a test wants: null breaks the connection off. Each answer takes
 * `delayMilliseconds`, so that what is sent side by side overlaps.
 */
export const startDynamoDBStub = async (
  answerTo: (request: WireRequest) => StubAnswer | null,
  { delayMilliseconds = 0 } = {},
): Promise<DynamoDBStub> => {
  const requests: WireRequest[] = [];
  let answered = 0;
  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const answersBefore = answered;
    const operation = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
    const request = { method, path: url, headers, body: await text(incoming), operation, answersBefore };
    requests.push(request);
    if (delayMilliseconds > 0) await delay(delayMilliseconds);
    const answer = answerTo(request);
    answered += 1;
    if (answer) send(response, answer);
    else incoming.socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stub has no port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const send = (response: ServerResponse, { status = 200, body }: StubAnswer): void => {
  // A test may stop the clock, and a client whose clock differs from the server's signs anew.
  response.sendDate = false;
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "request-1" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};
