import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

/** A request as it came over the wire. */
export interface AwsRequest {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

interface AwsAnswer {
  status?: number;
  body: unknown;
}

interface AwsStub {
  url: string;
  requests: AwsRequest[];
  close(): Promise<void>;
}

/** Stands in for one of AWS's services: answers JSON with a status, 200 unless given. */
export const startAwsStub = async (
  answerTo: (request: AwsRequest) => AwsAnswer | Promise<AwsAnswer>,
): Promise<AwsStub> => {
  const requests: AwsRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    const request = { method, path: url, headers, body: await text(incoming) };
    requests.push(request);
    const { status = 200, body } = await answerTo(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the stub has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
