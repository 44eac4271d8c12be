import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { vi } from "vitest";

/** A request as it was received. */
export interface WireRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** `GetItem` */
  operation: string;
}

export interface StubAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: object | string;
}

export interface DynamoDBStub {
  endpoint: string;
  requests: WireRequest[];
  /** For each request, the number of responses that the client had received before it sent the request. */
  answersBefore: number[];
  close(): Promise<void>;
}

/**
 * Replaces DynamoDB with the responses that a test specifies. Null closes the connection without a response. While the stub
 * runs, the SDK repeats a failed request at once.
 */
export const startDynamoDBStub = async (
  answerTo: (request: WireRequest) => StubAnswer | null,
): Promise<DynamoDBStub> => {
  const requests: WireRequest[] = [];
  const answersBefore: number[] = [];
  let answers = 0;
  const noteRequest = () => void answersBefore.push(answers);
  const noteAnswer = () => {
    answers += 1;
  };
  // The SDK multiplies the time that it waits before another attempt by a random number.
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  subscribe("http.client.request.start", noteRequest);
  subscribe("http.client.response.finish", noteAnswer);

  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const operation = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
    const request = { method, path: url, headers, body: await text(incoming), operation };
    requests.push(request);
    const answer = answerTo(request);
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
    answersBefore,
    async close() {
      random.mockRestore();
      unsubscribe("http.client.request.start", noteRequest);
      unsubscribe("http.client.response.finish", noteAnswer);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const send = (response: ServerResponse, { status = 200, headers, body }: StubAnswer): void => {
  // A test may stop the clock, and a client whose clock differs from the server's signs its request again.
  response.sendDate = false;
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "x-amzn-requestid": "request-1",
    ...headers,
  });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};
