import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { isFromWebPage, readBody, webPageRefusal } from "../support/http-listener.ts";
import { isRecord, jsonOrUndefined } from "../support/json.ts";
import { type AccessControl, createAccessControl, denialOf } from "./access-control.ts";
import { accessedAttributes } from "./accessed-attributes.ts";
import { openEngine, type Response, responseOf } from "./engine/engine.ts";
import { DatabaseError, failure, UnsupportedRequest } from "./engine/errors.ts";
import { createMemoryStorage, type Storage } from "./engine/storage.ts";

// DynamoDB's maximum request size.
const maximumRequestBytes = 16 * 1024 * 1024;

interface DatabaseServerOptions {
  environment: AwsEnvironment;
  /** Where items are stored. Default: in memory. */
  storage?: Storage;
  /** Restricts functions to the rights that their policies grant. */
  accessControl?: AccessControl;
  /** Called if a function sends an unsupported request. */
  onUnsupported?: (request: { functionName: string; what: string }) => void;
  /** Called if the storage fails. */
  onFailure?: (error: unknown) => void;
}

/** A response with its headers in DynamoDB's format. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** Creates a DynamoDB server that enforces rights and rejects unsupported requests. It doesn't listen yet. */
export const createDatabaseServer = (options: DatabaseServerOptions) => {
  const { environment, storage = createMemoryStorage(), onUnsupported = () => {}, onFailure = () => {} } = options;
  const { accessControl = createAccessControl() } = options;

  /** Returns AWS's message if the request is denied; undefined if it is allowed. */
  const refusalOf = (headers: IncomingHttpHeaders, body: unknown): string | undefined => {
    for (const { operation, part } of operationsIn(String(headers["x-amz-target"]).split(".").at(-1) ?? "", body)) {
      const action = `dynamodb:${operation}`;
      const accessed = () => accessedAttributes(action, part);
      const context = { "dynamodb:Select": isRecord(part) ? String(part.Select) : "" };
      for (const name of resourcesIn(part)) {
        const resource = name.startsWith("arn:") ? name : arnOf(environment, "dynamodb", name);
        const missing = accessControl.missingRight({ headers, action, resource, accessed, context });
        if (missing) return denialOf(missing, environment);
      }
    }
    return undefined;
  };

  const engine = openEngine({ storage, arnOf: (table) => arnOf(environment, "dynamodb", `table/${table}`) });

  const perform = (headers: IncomingHttpHeaders, body: Buffer): Response => {
    if (isFromWebPage(headers)) return responseOf(accessDenied(webPageRefusal));
    const [version, operation = ""] = String(headers["x-amz-target"]).split(".");
    const parsed = jsonOrUndefined(body.toString());
    const refusal = refusalOf(headers, parsed);
    if (refusal !== undefined) return responseOf(accessDenied(refusal));
    try {
      if (headers["content-encoding"] !== undefined) throw new UnsupportedRequest("a request with Content-Encoding");
      if (version !== "DynamoDB_20120810") throw new UnsupportedRequest(String(headers["x-amz-target"]));
      return engine.perform(operation, parsed);
    } catch (error) {
      if (!(error instanceof UnsupportedRequest)) throw error;
      const functionName = accessControl.functionOf(headers);
      if (functionName !== undefined) onUnsupported({ functionName, what: error.message });
      return responseOf(notSupported(error.message));
    }
  };

  const respond = (headers: IncomingHttpHeaders, body: Buffer): Reply => replyOf(perform(headers, body));

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, maximumRequestBytes);
    if (body === undefined) return void response.writeHead(413).end();
    try {
      const reply = respond(request.headers, body);
      response.writeHead(reply.status, reply.headers).end(reply.body);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };

  const server = createServer((request, response) => {
    // If the client has disconnected or the storage has failed, the client gets no response.
    serve(request, response).catch(() => response.destroy());
  });
  // Longer than clients keep idle connections, so that no connection closes just as a request is sent on it.
  server.keepAliveTimeout = 75_000;
  return { server, accessControl, respond };
};

const replyOf = ({ status, body }: Response): Reply => {
  const text = Buffer.from(JSON.stringify(body));
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "content-length": String(text.length),
    "x-amz-crc32": String(crc32(text)),
    "x-amzn-requestid": randomUUID(),
  };
  return { status, headers, body: text };
};

const accessDenied = (message: string): DatabaseError =>
  new DatabaseError("com.amazon.coral.service#AccessDeniedException", message);

// Not a DynamoDB error type, so that applications don't handle it by mistake. SDKs don't retry it.
const notSupported = (what: string): DatabaseError =>
  failure(
    "NotSupportedLocally",
    `The embedded database does not support ${what}: see "DynamoDB" in the README of cdk-local-runner.`,
  );

const transacted = new Map([
  ["Put", "PutItem"],
  ["Update", "UpdateItem"],
  ["Delete", "DeleteItem"],
  ["ConditionCheck", "ConditionCheckItem"],
]);

/** Returns the operations that need a permission. DynamoDB documents that each action of a transaction needs its own. */
const operationsIn = (operation: string, body: unknown): { operation: string; part: unknown }[] => {
  if (operation !== "TransactWriteItems" || !isRecord(body) || !Array.isArray(body.TransactItems)) {
    return [{ operation, part: body }];
  }
  return body.TransactItems.flatMap((actions: unknown) =>
    Object.entries(isRecord(actions) ? actions : {}).map(([kind, part]) => ({
      operation: transacted.get(kind) ?? operation,
      part,
    })),
  );
};

// `table/NAME` or `table/NAME/index/INDEX`. A request without a table, such as ListTables, concerns all tables.
const resourcesIn = (body: unknown): string[] => {
  if (!isRecord(body)) return ["table/*"];
  if (isRecord(body.RequestItems)) return Object.keys(body.RequestItems).map(resourceOf);
  if (typeof body.TableName !== "string") return ["table/*"];
  const resource = resourceOf(body.TableName);
  return [typeof body.IndexName === "string" ? `${resource}/index/${body.IndexName}` : resource];
};

const resourceOf = (table: string): string => (table.startsWith("arn:") ? table : `table/${table}`);
