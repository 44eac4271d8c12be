import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { onTestFinished } from "vitest";

export interface Exchange {
  method: string;
  path: string;
  requestHeaders: IncomingHttpHeaders;
  status: number;
  responseHeaders: IncomingHttpHeaders;
}

/** Passes all requests on to a service unchanged, and records them. */
export const recorded = async (baseUrl: string): Promise<{ baseUrl: string; exchanges: Exchange[] }> => {
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "", url: path = "", headers: requestHeaders } = incoming;
    const forwarded = send(baseUrl, { method, path, headers: requestHeaders });
    forwarded.once("error", () => outgoing.destroy());
    forwarded.once("response", (response) => {
      const { statusCode: status = 0, headers: responseHeaders } = response;
      exchanges.push({ method, path, requestHeaders, status, responseHeaders });
      outgoing.writeHead(status, response.rawHeaders);
      void pipeline(response, outgoing);
    });
    void pipeline(incoming, forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges };
};
