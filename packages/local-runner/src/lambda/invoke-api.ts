import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../support/local-error.ts";
import { readBody } from "../support/read-body.ts";
import { isFromWebPage, webPageRefusal } from "../support/web-page.ts";
import type { FunctionPool } from "./function-pool.ts";
import { maximumPayloadBytes, type Outcome } from "./outcome.ts";

const maximumAsynchronousBytes = 1024 * 1024;
const maximumTailBytes = 4096;

/** Makes the request listener that stands in for Lambda's Invoke API, so that `aws lambda invoke --endpoint-url` works. */
export const createInvokeApi = (pools: ReadonlyMap<string, FunctionPool>, log: (text: string) => void) => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isFromWebPage(request.headers)) return refuse(response, 403, "AccessDeniedException", webPageRefusal);
    const body = await readBody(request, maximumPayloadBytes);
    const pathname = request.url?.split("?")[0] ?? "";
    const [, encodedName] = /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$/.exec(pathname) ?? [];
    if (encodedName === undefined || request.method !== "POST") {
      return refuse(response, 404, "UnknownOperationException", "The local run has one operation of Lambda: Invoke.");
    }
    const name = functionNameOf(encodedName);
    const pool = pools.get(name);
    if (pool === undefined) {
      const names = [...pools.keys()].join(", ");
      return refuse(
        response,
        404,
        "ResourceNotFoundException",
        `Function not found: ${name}. The functions are: ${names}.`,
      );
    }

    const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
    const limit = type === "Event" ? maximumAsynchronousBytes : maximumPayloadBytes;
    if (body === undefined || body.length > limit) {
      return refuse(response, 413, "RequestTooLargeException", `Request must be smaller than ${limit} bytes.`);
    }
    const payload = body.length === 0 ? "{}" : body.toString();
    const problem = jsonProblem(payload);
    if (problem !== undefined) {
      const message = `Could not parse request body into json: ${problem}`;
      return refuse(response, 400, "InvalidRequestContentException", message);
    }

    if (type === "DryRun") return void response.writeHead(204).end();
    if (type === "Event") {
      response.writeHead(202).end();
      const { failed, payload: error } = await pool.invoke(payload);
      if (failed) log(`Lambda: an asynchronous invocation of ${name} failed: ${error}`);
      return;
    }
    if (type !== "RequestResponse") {
      const message = `X-Amz-Invocation-Type must be RequestResponse, Event or DryRun, not ${type}.`;
      return refuse(response, 400, "InvalidParameterValueException", message);
    }
    sendOutcome(response, await pool.invoke(payload), request.headers["x-amz-log-type"] === "Tail");
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader("x-amzn-requestid", randomUUID());
    try {
      await answer(request, response);
    } catch (error) {
      log(`Lambda: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent)
        refuse(response, 500, "ServiceException", "The local Invoke API failed. Its log says why.");
    }
  };
};

// A name, `name:qualifier`, `account:function:name` or the ARN. Each function has only its latest version.
const functionNameOf = (encoded: string): string => {
  const decoded = encoded.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  const [, afterFunction] = /(?:^|:)function:(.+)$/.exec(decoded) ?? [];
  return (afterFunction ?? decoded).split(":")[0] ?? "";
};

const jsonProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

const sendOutcome = (response: ServerResponse, outcome: Outcome, withLog: boolean): void => {
  response.setHeader("x-amzn-requestid", outcome.requestId);
  response.setHeader("x-amz-executed-version", "$LATEST");
  if (outcome.failed) response.setHeader("x-amz-function-error", "Unhandled");
  if (withLog) response.setHeader("x-amz-log-result", tailOf(outcome).toString("base64"));
  const body = Buffer.from(outcome.payload);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
};

const tailOf = ({ requestId, log, durationMilliseconds }: Outcome): Buffer => {
  const report = `REPORT RequestId: ${requestId}\tDuration: ${durationMilliseconds.toFixed(2)} ms\n`;
  return Buffer.from(
    `START RequestId: ${requestId} Version: $LATEST\n${log}END RequestId: ${requestId}\n${report}`,
  ).subarray(-maximumTailBytes);
};

const refuse = (response: ServerResponse, statusCode: number, type: string, message: string): void => {
  const body = JSON.stringify({ Type: "User", Message: message, message });
  response.setHeader("x-amzn-errortype", type);
  response.writeHead(statusCode, { "content-type": "application/json" }).end(body);
};
