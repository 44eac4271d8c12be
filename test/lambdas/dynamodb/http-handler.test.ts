import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { httpHandler } from "../../../lambdas/dynamodb/http-handler.ts";

let server: Server | undefined;
let handler: ReturnType<typeof httpHandler> | undefined;
afterEach(() => {
  vi.useRealTimers();
  handler?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server and returns a function that sends a request to it. */
const connect = async (listener: RequestListener, address = "127.0.0.1") => {
  server = createServer(listener).listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  handler = httpHandler(new URL(`http://${address.includes(":") ? `[${address}]` : address}:${port}`));
  const { handle } = handler;
  return (body = "{}") => handle({ method: "POST", path: "/", headers: { host: address, "x-test": "sent" }, body });
};

test("a request is sent unchanged, and its response is returned whole", async () => {
  const send = await connect(async (request, response) => {
    const received = Buffer.concat(await request.toArray()).toString();
    response.writeHead(418, { "X-Amz-Test": "received" });
    response.write(`${request.method} ${request.url} ${request.headers["x-test"]} `);
    setImmediate(() => response.end(received));
  });

  const { response } = await send("grüße");

  expect(response).toMatchObject({ statusCode: 418, headers: { "x-amz-test": "received" } });
  expect(response.body.toString()).toBe("POST / sent grüße");
});

test("an empty response has an empty body", async () => {
  const send = await connect((_, response) => response.end());
  expect((await send()).response.body).toHaveLength(0);
});

test("consecutive requests share a connection", async () => {
  const sockets = new Set<Socket>();
  const send = await connect(({ socket }, response) => {
    sockets.add(socket);
    response.end("{}");
  });
  for (let count = 0; count < 3; count += 1) {
    await send();
    await new Promise(setImmediate);
  }
  expect(sockets.size).toBe(1);
});

test("a host can be an IPv6 address", async () => {
  const send = await connect((_, response) => response.end("{}"), "::1");
  expect((await send()).response.statusCode).toBe(200);
});

test.each<[string, RequestListener]>([
  ["before it begins", (request) => request.socket.destroy()],
  [
    "in the middle",
    (request, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("{");
      setImmediate(() => request.socket.destroy());
    },
  ],
])("a response that breaks off %s is an error after which the SDK tries again", async (_, listener) => {
  const send = await connect(listener);
  await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test.each<[string, RequestListener]>([
  ["does not begin", () => {}],
  ["does not continue", (_, response) => void response.writeHead(200, { "content-length": 10 }).write("{")],
])("a response that %s within a second is a time-out", async (_, listener) => {
  const asked = Promise.withResolvers<void>();
  const send = await connect((request, response) => {
    listener(request, response);
    asked.resolve();
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const outcome = send().catch((error: unknown) => error);
  await asked.promise;
  await vi.advanceTimersByTimeAsync(1_000);

  expect(await outcome).toMatchObject({ name: "TimeoutError" });
});

test("a response that goes on within each second is complete, however long it takes", async () => {
  const [asked, begun] = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<IncomingMessage>()];
  const send = await connect((_, response) => asked.resolve(response));
  const noteBeginning = (message: unknown) => begun.resolve((message as { response: IncomingMessage }).response);
  subscribe("http.client.response.finish", noteBeginning);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const outcome = send();
  const response = await asked.promise;
  response.flushHeaders();
  const incoming = await begun.promise;
  unsubscribe("http.client.response.finish", noteBeginning);
  for (const part of ["{", " ", "}"]) {
    const received = once(incoming, "data");
    response.write(part);
    await received;
    await vi.advanceTimersByTimeAsync(900);
  }
  response.end();

  expect((await outcome).response.body.toString()).toBe("{ }");
});
