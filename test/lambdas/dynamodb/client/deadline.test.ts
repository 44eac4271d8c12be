import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  DynamoDBServiceException,
  GetItemCommand,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tokens } from "../../../../lambdas/domain/tokens/tokens-table.ts";
import { createDynamoDBClient } from "../../../../lambdas/dynamodb/client/client.ts";
import { operationMilliseconds, withDeadline, withinInvocation } from "../../../../lambdas/dynamodb/client/deadline.ts";
import { httpHandler } from "../../../../lambdas/dynamodb/client/sdk-http-handler.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { stubCredentials } from "../../support/dynamodb-stub.ts";
import { apiErrorOf } from "../../support/outcomes.ts";

let server: Server | undefined;
let handler: ReturnType<typeof httpHandler> | undefined;

beforeEach(stubCredentials);
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  handler?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server in DynamoDB's place, and returns its address and a promise of its first request. */
const listen = async (listener: RequestListener, address = "127.0.0.1") => {
  const asked = Promise.withResolvers<void>();
  server = createServer((request, response) => {
    listener(request, response);
    asked.resolve();
  }).listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", url);
  return { url: new URL(url), asked: asked.promise };
};

/** Returns a function that sends a request to a server with this listener, and a promise of the first request. */
const connect = async (listener: RequestListener, address?: string) => {
  const { url, asked } = await listen(listener, address);
  handler = httpHandler(url);
  const { handle } = handler;
  const headers = { host: url.host, "x-test": "sent" };
  return { send: (body = "{}") => handle({ method: "POST", path: "/", headers, body }), asked };
};

const stopTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });

const half: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0", "content-length": 1_000 }).write("{");
};

test("sends a request unchanged, and returns its response in full", async () => {
  const { send } = await connect(async (request, response) => {
    const received = Buffer.concat(await request.toArray()).toString();
    response.writeHead(418, { "X-Amz-Test": "received" });
    response.write(`${request.method} ${request.url} ${request.headers["x-test"]} `);
    setImmediate(() => response.end(received));
  });
  const { response } = await send("grüße");
  expect(response).toMatchObject({ statusCode: 418, headers: { "x-amz-test": "received" } });
  expect(response.body.toString()).toBe("POST / sent grüße");
});

test("reuses the connection of earlier requests, and accepts an empty response", async () => {
  const sockets = new Set<Socket>();
  const { send } = await connect(({ socket }, response) => {
    sockets.add(socket);
    response.end();
  });
  for (let count = 0; count < 3; count += 1) {
    expect((await send()).response.body).toHaveLength(0);
    await new Promise(setImmediate);
  }
  expect(sockets.size).toBe(1);
});

test("sends requests to IPv6 addresses", async () => {
  const { send } = await connect((_, response) => response.end("{}"), "::1");
  expect((await send()).response.statusCode).toBe(200);
});

const cut: RequestListener = (request, response) => {
  half(request, response);
  setImmediate(() => request.socket.destroy());
};

test.for<[string, RequestListener]>([
  ["before it begins", ({ socket }) => socket.destroy()],
  ["in the middle", cut],
])("a request whose response breaks off %s fails with an error that the SDK retries", async ([, listener]) => {
  const { send } = await connect(listener);
  await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
});

test.for<[string, RequestListener]>([
  ["does not begin", () => {}],
  ["does not continue", half],
])("a request whose response %s within a second times out", async ([, listener]) => {
  const { send, asked } = await connect(listener);
  stopTimers();
  const outcome = send().catch((error: unknown) => error);
  await asked;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toMatchObject({ name: "TimeoutError" });
});

test("a response that keeps arriving within each second completes, however long it takes", async () => {
  const [responding, begun] = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<IncomingMessage>()];
  const { send } = await connect((_, response) => responding.resolve(response));
  const noteBeginning = (message: unknown) => begun.resolve((message as { response: IncomingMessage }).response);
  subscribe("http.client.response.finish", noteBeginning);
  stopTimers();
  const outcome = send();
  const response = await responding.promise;
  response.flushHeaders();
  const incoming = await begun.promise;
  unsubscribe("http.client.response.finish", noteBeginning);
  for (const part of ["{", " ", "}"]) {
    const received = once(incoming, "data");
    response.write(part);
    await Promise.race([received, outcome]);
    await vi.advanceTimersByTimeAsync(900);
  }
  response.end();
  expect((await outcome).response.body.toString()).toBe("{ }");
});

const item = new GetItemCommand({ TableName: "Table", Key: { id: { S: "1" } } });

/** Never ends on its own. */
const dripping: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

test.for<[string, RequestListener]>([
  ["never responds", () => {}],
  ["falls silent in the middle of its response", half],
  ["sends its response a byte at a time", dripping],
])("an operation is unavailable and closes its connection if the database %s", async ([, listener]) => {
  const closed: Promise<void>[] = [];
  const { asked } = await listen((request, response) => {
    closed.push(new Promise((resolve) => request.socket.once("close", () => resolve())));
    listener(request, response);
  });
  const client = createDynamoDBClient();
  stopTimers();
  const outcome = apiErrorOf(withDeadline(() => client.send(item), 200));
  await asked;
  await vi.advanceTimersByTimeAsync(200);
  expect(await outcome).toMatchObject({ code: "unavailable" });
  expect(closed).toHaveLength(1);
  await Promise.all(closed);
});

test("limits recording a use to one second, because the request waits for it", async () => {
  const { asked } = await listen(() => {});
  const store = openStore(tokens, { client: createDynamoDBClient(), tableName: "tokens" });
  stopTimers();
  const outcome = apiErrorOf(store.recordUse("1", "2026-11-21T10:15:30.123Z"));
  await asked;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toMatchObject({ code: "unavailable" });
});

test("an operation that runs out of time does not make another attempt", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  let attempts = 0;
  await listen(({ socket }) => {
    attempts += 1;
    vi.setSystemTime(Date.now() + operationMilliseconds);
    socket.resetAndDestroy();
  });
  const client = createDynamoDBClient();
  expect(await apiErrorOf(withDeadline(() => client.send(item)))).toMatchObject({ code: "unavailable" });
  expect(attempts).toBe(1);
});

test.for([
  [1_000, 0],
  [1_200, 1],
] as const)("an endless operation with %i ms left in the invocation makes %i calls", async ([left, calls]) => {
  const call = vi.fn(() => new Promise(() => {}));
  const handler = withinInvocation(() => withDeadline(call));
  const outcome = handler(undefined, { getRemainingTimeInMillis: () => left });
  await expect(outcome).rejects.toMatchObject({ code: "unavailable" });
  expect(call).toHaveBeenCalledTimes(calls);
});

test("rejects a call with an AbortSignal, because only the deadline may end a call", async () => {
  await listen((_, response) => response.end("{}"));
  const { signal } = new AbortController();
  await expect(createDynamoDBClient().send(item, { abortSignal: signal })).rejects.toThrow("AbortSignal");
});

const fields = { message: "from DynamoDB", $metadata: {} };
const clientFault = (name: string) => new DynamoDBServiceException({ ...fields, name, $fault: "client" });

test.for([
  ["throttled", new ProvisionedThroughputExceededException(fields)],
  ["signed with keys that are not known", clientFault("UnrecognizedClientException")],
  ["redirected", clientFault("UnknownError")],
  ["responded to with a failure", new InternalServerError(fields)],
  ["not responded to", Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })],
] as const)("reports a call that is %s as unavailable, so that clients repeat it", async ([, cause]) => {
  const error = await apiErrorOf(withDeadline(() => Promise.reject(cause)));
  expect(error).toMatchObject({ code: "unavailable", status: 503, cause });
  expect(Number(error.headers["Retry-After"])).toBeGreaterThan(0);
  expect(JSON.stringify(error)).not.toContain(cause.message);
});

test("a call that DynamoDB rejects as malformed fails with DynamoDB's error", async () => {
  for (const name of ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"]) {
    const cause = clientFault(name);
    await expect(withDeadline(() => Promise.reject(cause))).rejects.toBe(cause);
  }
});
