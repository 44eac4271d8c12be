import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { ClassicLevel } from "classic-level";
import dynalite from "dynalite";
import { closeServer } from "../support/http-listener.ts";
import { codeOf, messageOf } from "../support/local-error.ts";
import { readBody } from "../support/read-body.ts";
import { isFromWebPage, webPageRefusal } from "../support/web-page.ts";
import { createAccessControl } from "./access-control.ts";
import type { DatabaseReply, DatabaseRequest, DatabaseThreadData } from "./database-messages.ts";
import { answerError, withoutEmptyAttributes } from "./requests/answers.ts";
import { checkRequest } from "./requests/check-request.ts";

// DynamoDB's own limit for a request.
const maximumRequestBytes = 16 * 1024 * 1024;

const { path, host, port, environment }: DatabaseThreadData = workerData;
const reply = (message: DatabaseReply) => parentPort?.postMessage(message);

// If dynalite cannot open its folder, it answers every request with a failure that does not say why. So the folder is
// opened once beforehand to learn the reason.
const assertUsable = async (): Promise<void> => {
  const probe = new ClassicLevel(path);
  await probe.open();
  for (const iterator of [probe.keys(), probe.values()]) {
    closeWhenRead(Object.getPrototypeOf(iterator));
    await iterator.close();
  }
  await probe.close();
};

// dynalite 4 ends an iterator by `return`, which the iterators of this LevelDB lack: each query would leave one open
// forever, with some 10 KB and a snapshot.
const closeWhenRead = (iteratorPrototype: object): void => {
  Object.defineProperty(iteratorPrototype, "return", {
    configurable: true,
    value(this: { close(): Promise<void> }) {
      return this.close();
    },
  });
};

// A read takes some microseconds. Waking a thread of the pool for it takes many times as long.
const readInThisThread = (): void => {
  const read = ClassicLevel.prototype.get;
  Object.defineProperty(ClassicLevel.prototype, "get", {
    configurable: true,
    // dynalite replaces the method too.
    writable: true,
    async value(this: ClassicLevel, ...words: Parameters<typeof read>) {
      return this.status === "open" ? this.getSync(...words) : read.apply(this, words);
    },
  });
};

const createDatabase = () => {
  const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const [serveRequest] = server.listeners("request");
  if (serveRequest === undefined) throw new Error("this version of dynalite has no request listener");
  const accessControl = createAccessControl(new Map(), environment);

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    if (isFromWebPage(headers)) return answerError(response, accessDenied(webPageRefusal));
    const body = await readBody(request, maximumRequestBytes);
    if (body === undefined) return void response.writeHead(413).end();
    const received = body.toString();
    const parsed = jsonOrUndefined(received);
    const refusal = accessControl.refusalOf(headers, parsed);
    if (refusal !== undefined) return answerError(response, accessDenied(refusal));
    const target = headers["x-amz-target"];
    const checked = checkRequest(target === undefined ? undefined : String(target), received, parsed);
    if (checked.kind === "invalid") return answerError(response, validationError(checked.message));
    if (checked.kind === "unsupported") {
      const functionName = accessControl.functionOf(headers);
      if (functionName !== undefined) reply({ kind: "unsupported", functionName, what: checked.what });
      return answerError(response, notSupported(checked.what));
    }
    // dynalite gets a replay instead of the connection, because it would end the process when a client disconnects.
    const replay = Object.assign(new EventEmitter(), { method, url, headers });
    serveRequest(replay, withoutEmptyAttributes(response));
    replay.emit("data", checked.text === received ? body : Buffer.from(checked.text));
    replay.emit("end");
  };

  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    // A request that cannot be read has lost its client already.
    answer(request, response).catch(() => response.destroy());
  });
  // Longer than clients keep a connection idle, so that no connection is closed just as a request is sent on it.
  server.keepAliveTimeout = 75_000;
  return { server, accessControl };
};

const accessDenied = (Message: string) => ({ __type: "com.amazon.coral.service#AccessDeniedException", Message });

const validationError = (message: string) => ({
  __type: "com.amazon.coral.validate#ValidationException",
  message,
});

// Not a type of DynamoDB's, so that no application takes it for one that it handles. SDKs do not retry it.
const notSupported = (what: string) => ({
  __type: "com.amazonaws.dynamodb.v20120810#NotSupportedLocally",
  message: `The embedded database does not support ${what}: see "DynamoDB" in the README of cdk-local-runner.`,
});

const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // dynalite answers malformed JSON.
    return undefined;
  }
};

try {
  await assertUsable();
  readInThisThread();
  const { server, accessControl } = createDatabase();
  server.listen(port, host);
  await once(server, "listening");

  parentPort?.on("message", async (request: DatabaseRequest) => {
    switch (request.kind) {
      case "rights":
        accessControl.enforce(request.rightsOf);
        return reply({ kind: "enforced" });
      case "used rights":
        return reply({ kind: "used rights", usedRights: accessControl.usedRights() });
      case "close":
        await closeServer(server, 100);
        reply({ kind: "closed" });
        return parentPort?.close();
    }
  });
  const address = server.address();
  reply({ kind: "listening", port: typeof address === "object" && address ? address.port : port });
} catch (error) {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  reply({ kind: "cannot start", code: codeOf(cause), message: messageOf(cause) });
}
