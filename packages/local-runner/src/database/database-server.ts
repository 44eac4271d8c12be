import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import dynalite from "dynalite";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import { isFromWebPage, readBody, webPageRefusal } from "../support/http-listener.ts";
import { isRecord } from "../support/is-record.ts";
import { createAccessControl } from "./access-control.ts";
import { answerWith, whenEnded, withoutEmptyAttributes } from "./requests/answers.ts";
import { checkRequest, type RefusedRequest, refusedBy } from "./requests/check-request.ts";
import {
  createWriteQueue,
  readWrittenItem,
  wantsItemOfFailure,
  withItemOfFailure,
  writtenTables,
} from "./requests/failed-conditions.ts";
import { checkIndexRules } from "./requests/index-rules.ts";
import { addIndex } from "./requests/new-index.ts";
import { UnsupportedRequest } from "./requests/refusals.ts";
import { type Ask, createTableCache } from "./requests/tables.ts";
import type { Storage } from "./storage/journaled-dynalite.ts";

// DynamoDB's limit for a request.
const maximumRequestBytes = 16 * 1024 * 1024;

interface DatabaseServerOptions {
  environment: AwsEnvironment;
  /** Called if a function sends a request that is not supported. */
  onUnsupported?: (request: { functionName: string; what: string }) => void;
  /** Where the engine stores everything; without it, no index can be added to a table. */
  storage?: Pick<Storage, "redefineTable">;
}

/**
 * A DynamoDB in memory that enforces rights, corrects what dynalite does differently, and refuses what it does not support. Its server
 * does not listen yet.
 */
export const createDatabaseServer = (options: DatabaseServerOptions) => {
  const { environment, onUnsupported = () => {}, storage } = options;
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const [serveRequest] = server.listeners("request");
  if (serveRequest === undefined) throw new Error("this version of dynalite has no request listener");
  const accessControl = createAccessControl(new Map(), environment);

  const inTurn = createWriteQueue();
  const tables = createTableCache();

  /** dynalite gets a replay instead of the connection, because it would end the process when a client disconnects. */
  const replay = (request: Replayed, body: Buffer, response: object) => {
    const events = Object.assign(new EventEmitter(), request);
    serveRequest(events, response);
    events.emit("data", body);
    events.emit("end");
  };

  const askWith =
    (request: Replayed): Ask =>
    (operation, parameters) =>
      new Promise((resolve) => {
        const headers = { ...request.headers, "x-amz-target": `DynamoDB_20120810.${operation}` };
        const end = (body: string) => resolve(JSON.parse(body));
        replay({ ...request, headers }, Buffer.from(JSON.stringify(parameters)), { setHeader() {}, end });
      });

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    if (isFromWebPage(headers)) return answerWith(response, accessDenied(webPageRefusal));
    const body = await readBody(request, maximumRequestBytes);
    if (body === undefined) return void response.writeHead(413).end();
    const received = body.toString();
    const parsed = jsonOrUndefined(received);
    const refusal = accessControl.refusalOf(headers, parsed);
    if (refusal !== undefined) return answerWith(response, accessDenied(refusal));
    const refuse = (refused: RefusedRequest) => {
      if (refused.kind === "invalid") return answerWith(response, validationError(refused.message));
      const functionName = accessControl.functionOf(headers);
      if (functionName !== undefined) onUnsupported({ functionName, what: refused.what });
      return answerWith(response, notSupported(refused.what));
    };

    const target = headers["x-amz-target"];
    const checked = checkRequest(target === undefined ? undefined : String(target), received, parsed);
    if (checked.kind !== "supported") return refuse(checked);
    const operation = String(target).split(".")[1] ?? "";
    const text = checked.text === received ? body : Buffer.from(checked.text);
    const replayed = { method, url, headers };
    const ask = askWith(replayed);
    const perform = async () => {
      if (operation === "UpdateTable" && isRecord(parsed)) {
        if (storage === undefined) throw new UnsupportedRequest("");
        return answerWith(response, await addIndex(parsed, { ask, storage }));
      }
      if (isRecord(parsed)) await checkIndexRules(operation, parsed, (name) => tables.describe(name, ask));
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const corrected = withoutEmptyAttributes(whenEnded(response, resolve));
      const withItem = wantsItemOfFailure(parsed)
        ? withItemOfFailure(corrected, () => readWrittenItem(parsed, ask))
        : corrected;
      replay(replayed, text, withItem);
      await ended;
    };
    await inTurn(writtenTables(operation, parsed), async () => {
      try {
        await perform();
      } catch (error) {
        refuse(refusedBy(error, operation));
      } finally {
        if (/^(Create|Update|Delete)Table$/.test(operation)) tables.forget();
      }
    });
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

type Replayed = Pick<IncomingMessage, "method" | "url" | "headers">;

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
