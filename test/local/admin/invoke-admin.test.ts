import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { invokeAdmin } from "../../../local/admin/invoke-admin.ts";
import { freePort } from "../../support/free-port.ts";

const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
};

const lambdaHeaders = { "x-amz-executed-version": "$LATEST", "x-amzn-requestid": "4711" };
const failed = { ...lambdaHeaders, "x-amz-function-error": "Unhandled" };

/** Returns the failure of an invocation that gets this response. */
const failureOf = async (listener: RequestListener) =>
  invokeAdmin({ action: "list" }, { port: await listen(createHttpServer(listener)) }).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

const unclear = /The action may have been carried out: check before you repeat it\. .* request id 4711\.$/;
const refusal = { errorType: "validation_failed", errorMessage: "The ip field is required." };
const unknown = { "x-amzn-errortype": "ResourceNotFoundException" };
const broken = { "x-amzn-errortype": "ServiceException" };

test.each<[string, number, Record<string, string>, unknown, number, RegExp]>([
  ["a refusal", 200, failed, refusal, 1, /^The ip field is required\.$/],
  [
    "a service without an admin function",
    404,
    unknown,
    { Message: "No admin" },
    1,
    /^The service rejected .*: No admin$/,
  ],
  [
    "a failure of the Invoke API itself",
    500,
    broken,
    { message: "It failed." },
    4,
    /It failed\. The action may have been/,
  ],
  ["an error of the service", 200, failed, { errorType: "unavailable", errorMessage: "No database." }, 4, unclear],
  ["a time limit", 200, failed, { errorType: "Sandbox.Timedout", errorMessage: "Timed out" }, 4, unclear],
  ["a crash", 200, failed, { errorType: "TypeError", errorMessage: "x is not a function" }, 4, unclear],
  ["an error without a form", 200, failed, "boom", 4, unclear],
])("%s, with status %i, has its own exit code and message", async (_, status, headers, body, exitCode, message) => {
  const failure = await failureOf((_, response) => response.writeHead(status, headers).end(JSON.stringify(body)));

  expect(failure).toMatchObject({ exitCode, message: expect.stringMatching(message) });
});

test("exits with 3 if the service is not running, and says how to start it", async () => {
  await expect(invokeAdmin({}, { port: await freePort() })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /^No service answers on port \d+, which is PORT \+ 1\. Start it with npm start .* set PORT/,
    ),
  });
});

test.each<[string, RequestListener]>([
  ["JSON of another service", (_, response) => response.end('{"tokens":[]}')],
  ["another protocol", ({ socket }) => socket.end("220 mail.example.com ESMTP\r\n")],
  ["a redirect", (_, response) => response.writeHead(302, { location: "/login" }).end()],
])("exits with 3 for %s from another program on the port", async (_, listener) => {
  expect(await failureOf(listener)).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /^Something other than this service answers on port \d+, which is PORT \+ 1\. Set PORT/,
    ),
  });
});

test("exits with 4 if the connection breaks", async () => {
  expect(await failureOf((request) => request.socket.destroy())).toMatchObject({
    exitCode: 4,
    message: expect.stringMatching(/broke before it answered .* may have been carried out/),
  });
});

test("exits with 4 if the service does not respond in time", async () => {
  const port = await listen(createHttpServer(() => {}));

  await expect(invokeAdmin({}, { port, waitSeconds: 0.05 })).rejects.toMatchObject({
    exitCode: 4,
    message:
      "The service has not responded within 0.05 seconds. The action may have been carried out: check before you repeat it.",
  });
});
