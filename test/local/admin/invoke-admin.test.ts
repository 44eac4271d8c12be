import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { invokeAdmin } from "../../../local/admin/invoke-admin.ts";
import { freePort } from "../../../tools/support/free-port.ts";

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

/** The failure of an invocation that gets this response. */
const failureOf = async (listener: RequestListener) =>
  invokeAdmin({ action: "list" }, { port: await listen(createHttpServer(listener)) }).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
const answered = (status: number, headers: Record<string, string>, body: unknown) =>
  failureOf((_, response) => response.writeHead(status, headers).end(JSON.stringify(body)));

test("the event reaches the admin function, and its result comes back", async () => {
  const port = await listen(
    createHttpServer(async (request, response) => {
      expect([request.method, request.url]).toEqual(["POST", "/2015-03-31/functions/admin/invocations"]);
      response.writeHead(200, lambdaHeaders);
      request.pipe(response);
    }),
  );

  expect(await invokeAdmin({ action: "list", limit: 1 }, { port })).toEqual({ action: "list", limit: 1 });
});

test("a refusal ends with 1 and its own message", async () => {
  const body = { errorType: "validation_failed", errorMessage: "The ip field is required." };

  expect(await answered(200, failed, body)).toMatchObject({ exitCode: 1, message: body.errorMessage });
});

test("a service without an admin function ends with 1 and says so", async () => {
  const headers = { "x-amzn-errortype": "ResourceNotFoundException" };

  expect(await answered(404, headers, { Message: "Function not found: admin" })).toMatchObject({
    exitCode: 1,
    message: "The service refused the call: Function not found: admin",
  });
});

test.each([
  ["an error of the service", { errorType: "unavailable", errorMessage: "The database cannot be reached." }],
  ["a time limit", { errorType: "Sandbox.Timedout", errorMessage: "Task timed out after 29.00 seconds" }],
  ["a crash", { errorType: "TypeError", errorMessage: "x is not a function" }],
  ["an error without a type", { errorMessage: "boom" }],
  ["an error without a form", "boom"],
])("%s ends with 4, because the action may have been carried out", async (_, body) => {
  expect(await answered(200, failed, body)).toMatchObject({
    exitCode: 4,
    message: expect.stringMatching(
      /The action may have been carried out: check before you repeat it\. .* request id 4711\.$/,
    ),
  });
});

test("a failure of the Invoke API itself ends with 4", async () => {
  const headers = { "x-amzn-errortype": "ServiceException" };

  expect(await answered(500, headers, { message: "It failed." })).toMatchObject({
    exitCode: 4,
    message: expect.stringContaining("It failed. The action may have been carried out"),
  });
});

test("a service that does not run ends with 3 and how to start it", async () => {
  await expect(invokeAdmin({}, { port: await freePort() })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /^No service answers on port \d+, which is PORT \+ 1\. Start it with npm start .* set PORT/,
    ),
  });
});

test.each<[string, RequestListener]>([
  ["a web page", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello</p>")],
  ["JSON of another service", (_, response) => response.end('{"tokens":[]}')],
  ["an empty answer", (_, response) => response.writeHead(204).end()],
  ["a redirect", (_, response) => response.writeHead(302, { location: "/login" }).end()],
])("%s from something else on the port ends with 3", async (_, listener) => {
  expect(await failureOf(listener)).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /^Something other than this service answers on port \d+, which is PORT \+ 1\. Set PORT/,
    ),
  });
});

test("a port on which something speaks another protocol ends with 3", async () => {
  const port = await listen(
    createServer((socket) => socket.once("data", () => socket.end("220 mail.example.com ESMTP\r\n"))),
  );

  await expect(invokeAdmin({}, { port })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining("Something other than this service"),
  });
});

test("a connection that breaks ends with 4", async () => {
  const port = await listen(createHttpServer((request) => request.socket.destroy()));

  await expect(invokeAdmin({}, { port })).rejects.toMatchObject({
    exitCode: 4,
    message: expect.stringMatching(/broke before it answered .* may have been carried out/),
  });
});

test("a service that does not answer in time ends with 4", async () => {
  const port = await listen(createHttpServer(() => {}));

  await expect(invokeAdmin({}, { port, waitSeconds: 0.05 })).rejects.toMatchObject({
    exitCode: 4,
    message:
      "The service has not answered within 0.05 seconds. The action may have been carried out: check before you repeat it.",
  });
});
