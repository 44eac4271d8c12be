import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The error that a call rejects with. */
export const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A service that gives these responses in turn, and the requests that it received. */
export const scripted = async (...answers: ((...exchange: Parameters<RequestListener>) => void)[]) => {
  const requests: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    answers.shift()?.(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
};

export const busy =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end('{"message":"Busy"}');

export const found =
  (body: unknown = [], headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** `304`: what the client remembers is still the same. */
export const unchanged =
  (headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(304, headers).end();

/** `412`: the key has changed. */
export const changed: RequestListener = (_, response) =>
  response
    .writeHead(412, { "content-type": "application/json" })
    .end('{"code":"precondition_failed","message":"The key has changed since it was read."}');

export const keyOf = (key_id: string, v_code = "v".repeat(64)) => ({
  key_id,
  v_code,
  created_at: "2026-11-21T10:15:30.123Z",
  updated_at: "2026-11-21T10:15:30.123Z",
});
