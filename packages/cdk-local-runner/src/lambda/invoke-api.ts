import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import querystring from "node:querystring";
import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { readBody, sendJson } from "../support/http-listener.ts";
import { messageOf } from "../support/local-error.ts";
import type { FunctionPool } from "./function-pool.ts";
import { maximumPayloadBytes, type Outcome } from "./outcome.ts";

const maximumTailBytes = 4096;

interface InvokeApiOptions {
  pools: ReadonlyMap<string, FunctionPool>;
  /** Returns the ARN of the function behind a version or alias. Returns any other ARN unchanged. */
  functionBehind: (arn: string) => string;
  environment: AwsEnvironment;
  log: (text: string) => void;
}

/** Creates the request listener that stands in for Lambda's Invoke API, so that `aws lambda invoke --endpoint-url` works. */
export const createInvokeApi = ({ pools, functionBehind, environment, log }: InvokeApiOptions) => {
  /** Returns the pool of a function, version or alias. */
  const poolOf = ({ name, qualifier }: NamedFunction): FunctionPool | undefined => {
    const pool = pools.get(name);
    if (pool === undefined || qualifier === undefined || qualifier === "$LATEST") return pool;
    const { arn } = pool.definition;
    return functionBehind(`${arn}:${qualifier}`) === arn ? pool : undefined;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader("x-amzn-requestid", randomUUID());
    const body = await readBody(request, maximumPayloadBytes);
    const { pathname = "", searchParams } = URL.parse(request.url ?? "", "http://localhost") ?? {};
    const [, encodedName] = /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$/.exec(pathname) ?? [];
    if (encodedName === undefined || request.method !== "POST") {
      return refuse(response, 404, "UnknownOperationException", "The local run has one operation of Lambda: Invoke.");
    }
    const named = functionNamed(encodedName, searchParams?.get("Qualifier") ?? undefined);
    if (named === undefined) {
      const message = "The derived qualifier from the function name does not match the specified qualifier.";
      return refuse(response, 400, "InvalidParameterValueException", message);
    }
    const pool = poolOf(named);
    if (pool === undefined) {
      const { name, qualifier = "$LATEST" } = named;
      log(`Lambda: there is no function ${name}:${qualifier}. The functions are: ${[...pools.keys()].join(", ")}.`);
      return refuseUnknownFunction(response, arnOf(environment, "lambda", `function:${name}:${qualifier}`));
    }

    if (body === undefined) {
      const message = `Request must be smaller than ${maximumPayloadBytes} bytes for the InvokeFunction operation`;
      return refuse(response, 413, "RequestTooLargeException", message);
    }
    const payload = body.length === 0 ? "{}" : body.toString();
    const problem = jsonProblem(payload);
    if (problem !== undefined) {
      const message = `Could not parse request body into json: Could not parse payload into json: ${problem}`;
      return refuse(response, 400, "InvalidRequestContentException", message);
    }

    const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
    if (type !== "RequestResponse") {
      const message = `The local run does not support invocations of type ${type}.`;
      return refuse(response, 400, "NotSupportedLocally", message);
    }
    const isTailWanted = request.headers["x-amz-log-type"] === "Tail";
    const outcome = await pool.invoke(payload);
    sendOutcome(response, outcome, isTailWanted ? tailOf(outcome, pool.definition.memoryMegabytes) : undefined);
  };
};

const jsonProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

const sendOutcome = (response: ServerResponse, outcome: Outcome, tail: Buffer | undefined): void => {
  response.setHeader("x-amzn-requestid", outcome.requestId);
  response.setHeader("x-amz-executed-version", "$LATEST");
  if (outcome.failed) response.setHeader("x-amz-function-error", "Unhandled");
  if (tail) response.setHeader("x-amz-log-result", tail.toString("base64"));
  const body = Buffer.from(outcome.payload);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
};

/** Returns the end of the invocation's log, with the lines that Lambda adds (observed). */
const tailOf = ({ requestId, log, durationMilliseconds }: Outcome, memoryMegabytes: number): Buffer => {
  const report = [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${durationMilliseconds.toFixed(2)} ms`,
    `Billed Duration: ${Math.ceil(durationMilliseconds)} ms`,
    `Memory Size: ${memoryMegabytes} MB`,
    "\n",
  ].join("\t");
  return Buffer.from(
    `START RequestId: ${requestId} Version: $LATEST\n${log}END RequestId: ${requestId}\n${report}`,
  ).subarray(-maximumTailBytes);
};

const refuse = (response: ServerResponse, statusCode: number, type: string, message: string): void =>
  sendJson(response.setHeader("x-amzn-errortype", type), statusCode, { Type: "User", message });

/** Observed: only this error capitalises `Message`. */
const refuseUnknownFunction = (response: ServerResponse, arn: string): void =>
  sendJson(response.setHeader("x-amzn-errortype", "ResourceNotFoundException"), 404, {
    Type: "User",
    Message: `Function not found: ${arn}`,
  });

/** A function and an optional version or alias. Without a qualifier, it is the latest version. */
interface NamedFunction {
  name: string;
  qualifier: string | undefined;
}

/**
 * Parses the name in an invocation's path: a function's name, `account:function:name` or its ARN, each with or without
 * `:qualifier`. Returns undefined if the query has a different qualifier, which Lambda rejects (observed).
 *
 * @example functionNamed("admin%3Alive", undefined) // { name: "admin", qualifier: "live" }
 */
const functionNamed = (encoded: string, queryQualifier: string | undefined): NamedFunction | undefined => {
  // A name that cannot be decoded stays as it was sent, matches no function, and is shown in the error.
  const decoded = querystring.unescape(encoded);
  const [, afterFunction] = /(?:^|:)function:(.+)$/.exec(decoded) ?? [];
  const [name = "", ownQualifier] = (afterFunction ?? decoded).split(":");
  if (ownQualifier !== undefined && queryQualifier !== undefined && ownQualifier !== queryQualifier) return undefined;
  return { name, qualifier: ownQualifier ?? queryQualifier };
};
