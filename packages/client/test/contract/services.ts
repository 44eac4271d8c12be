import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { exampleKey } from "../../../../lambdas/domain/keys/key-fields.ts";

/** A request as a scripted service received it. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Starts a service that returns these responses in turn, and returns the requests that it received. */
export const scripted = async (...responses: RequestListener[]) => {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    responses.shift()?.(request, response);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
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

/** A new token as a service returns it. */
export const issuedToken = (name: string) => ({
  token_id: `01KAK3Y0V9QX8M4N2R7T5W1Y${name}`,
  ip: "127.0.0.1",
  issued_at: "2026-11-21T10:15:30.123Z",
  expires_at: "2027-11-21T10:15:30.123Z",
  token: `itk_${name}_secret`,
});

export const issued = (name: string): RequestListener => reply(201, issuedToken(name));

const { token: _, ...described } = issuedToken("A0");

/** What a service says about the token of a request. */
export const describedToken = { ...described, client: "acme", seen_ip: "127.0.0.1", expiring: null };

/** `202` with a code, at the service's time. */
export const waiting = (code: string, headers: Headers = {}, expires_at = "2099-01-01T00:00:00.000Z") =>
  reply(202, { ip: "127.0.0.1", code, expires_at }, headers);

export const vCode = "v".repeat(64);

export const keyNamed = (key_id: string, v_code = vCode) => ({
  ...exampleKey,
  ...{ key_id, v_code },
  created_at: "2026-11-21T10:15:30.123Z",
  updated_at: "2026-11-21T10:15:30.123Z",
});

/** The variables of a job in GitHub Actions that requests JWTs from this address. */
export const jobOf = (url: string) => ({ ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "secret" });
