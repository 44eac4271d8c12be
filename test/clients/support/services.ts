import { createServer, type IncomingHttpHeaders, type RequestListener, request as send } from "node:http";
import { pipeline } from "node:stream/promises";
import { onTestFinished } from "vitest";
import { listen } from "../../kit/support/listen.ts";

/** A request as a scripted service received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Starts a server that is closed after the test, and returns its address. */
const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  return listen(server);
};

/** Starts a service that gives these responses in turn, and returns the requests that it received. */
export const scripted = async (...responses: RequestListener[]) => {
  const requests: Received[] = [];
  const baseUrl = await listening(async (request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    responses.shift()?.(request, response);
  });
  return { baseUrl, requests };
};

interface Exchange {
  method: string;
  path: string;
  requestHeaders: IncomingHttpHeaders;
  status: number;
}

/** Forwards all requests to a service unchanged, and records them. */
export const recorded = async (service: string): Promise<{ baseUrl: string; exchanges: Exchange[] }> => {
  const exchanges: Exchange[] = [];
  const baseUrl = await listening((incoming, outgoing) => {
    const { method = "", url: path = "", headers: requestHeaders } = incoming;
    const forwarded = send(service, { method, path, headers: requestHeaders });
    forwarded.once("error", () => outgoing.destroy());
    forwarded.once("response", (response) => {
      const { statusCode: status = 0 } = response;
      exchanges.push({ method, path, requestHeaders, status });
      outgoing.writeHead(status, response.rawHeaders);
      void pipeline(response, outgoing);
    });
    void pipeline(incoming, forwarded);
  });
  return { baseUrl, exchanges };
};

type Headers = Record<string, string>;

export const json: Headers = { "content-type": "application/json" };

/** A response with any body. */
export const raw =
  (status: number, body: string | Buffer = "", headers: Headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** A response in JSON. */
export const reply = (status: number, body: unknown, headers: Headers = {}): RequestListener =>
  raw(status, JSON.stringify(body), { ...json, ...headers });

export const found = (body: unknown = [], headers: Headers = {}): RequestListener => reply(200, body, headers);

/** `304`: what the client remembers is still current. */
export const unchanged = (headers: Headers = {}): RequestListener => raw(304, "", headers);

export const noContent: RequestListener = raw(204);

export const busy = (status: number, headers: Headers = {}): RequestListener =>
  reply(status, { message: "Busy" }, headers);

export const refused = (status: number, code: string, headers: Headers = {}): RequestListener =>
  reply(status, { code, message: "It is refused." }, headers);

/** Breaks the connection, before or during the response. */
export const lost: RequestListener = (_, response) => void response.socket?.destroy();
export const cutOff =
  (status: number, headers: Headers, body: string | Buffer): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).write(body, () => response.socket?.destroy());

/** The first characters of a new token. */
export const cutOffToken = cutOff(201, { ...json, "content-length": "1000" }, '{"token_id":');

/** A new token as a service returns it. */
export const issuedToken = (name: string) => ({
  token_id: `01KAK3Y0V9QX8M4N2R7T5W1Y${name}`,
  ip: "127.0.0.1",
  issued_at: "2026-11-21T10:15:30.123Z",
  expires_at: "2027-11-21T10:15:30.123Z",
  token: `itk_${name}_secret`,
});

export const issued = (name: string): RequestListener => reply(201, issuedToken(name));

/** `202` with a code, at the service's time. */
export const waiting = (code: string, headers: Headers = {}, expires_at = "2099-01-01T00:00:00.000Z") =>
  reply(202, { ip: "127.0.0.1", code, expires_at }, headers);

export const vCode = "v".repeat(64);

export const keyNamed = (key_id: string, v_code = vCode) => ({
  key_id,
  v_code,
  created_at: "2026-11-21T10:15:30.123Z",
  updated_at: "2026-11-21T10:15:30.123Z",
});
