import type { IncomingMessage, ServerResponse } from "node:http";
import type { JWTVerifyGetKey } from "jose";
import type { HttpApiDefinition, RouteDefinition } from "../assembly/http-api.ts";
import type { MayInvoke } from "../assembly/rights.ts";
import { type InvokeByArn, maximumPayloadBytes } from "../lambda/outcome.ts";
import { readBody } from "../support/http-listener.ts";
import { messageOf } from "../support/local-error.ts";
import { readResponse, requestIdHeader, sendGatewayResponse, sendResponse } from "./function-response.ts";
import { authorizeByJwt, isRefusal } from "./jwt-authorizer.ts";
import { type EventSource, headersOf, newRequestId, readRequestTarget, requestEvent } from "./request-event.ts";
import { createRouteTable } from "./route-table.ts";

const maximumBodyBytes = 10 * 1024 * 1024;

interface GatewayOptions {
  /** Undefined if the stacks have no API. Every path then returns 404. */
  api: HttpApiDefinition | undefined;
  accountId: string;
  /** The functions' time. */
  now: () => number;
  domainName: string;
  mayInvoke: MayInvoke;
  invoke: InvokeByArn;
  /** Returns a token issuer's keys; undefined if the issuer doesn't run locally. */
  keysOf: (issuer: string) => JWTVerifyGetKey | undefined;
  log: (text: string) => void;
}

const noApi: HttpApiDefinition = { id: "", routes: [] };

/** Creates the request listener that stands in for API Gateway. */
export const createGateway = (options: GatewayOptions) => {
  const { api = noApi, accountId, now, domainName, mayInvoke, invoke, keysOf, log } = options;
  const findRoute = createRouteTable(api.routes);
  const source: EventSource = { accountId, now, apiId: api.id, domainName };
  const permitted = new Set(api.routes.filter((route) => mayInvoke(api.id, route)));

  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const body = await readBody(request, maximumBodyBytes);
    if (body === undefined) return sendGatewayResponse(response, 413, "Request Entity Too Large");
    const target = readRequestTarget(request.url ?? "/");
    if (target === undefined) return sendGatewayResponse(response, 400, "Bad Request");
    const headers = headersOf(request);
    const match = findRoute(request.method ?? "", target.path);
    if (match === undefined) return sendGatewayResponse(response, 404, "Not Found");

    const { target: route, pathParameters } = match;
    const guard = route.authorizer;
    const authorizer =
      guard && (await authorizeByJwt(headers.authorization, guard, { keys: keysOf(guard.issuer), now: now() }));
    if (authorizer && isRefusal(authorizer)) {
      return sendGatewayResponse(response, 401, "Unauthorized", { "www-authenticate": authorizer.challenge });
    }
    const { routeKey } = route;
    const routed = { ...target, routeKey, requestId, body, pathParameters, authorizer };
    const payload = JSON.stringify(requestEvent(request, routed, source));
    const outcome = await integrate(route, { payload, requestId });
    if (outcome === "too large") return sendGatewayResponse(response, 413, "Request Entity Too Large");
    if (outcome === "too late") return sendGatewayResponse(response, 503, "Service Unavailable");
    const result = outcome && readResponse(outcome.payload);
    if (outcome && result === undefined) {
      const start = outcome.payload.slice(0, 200);
      log(`API Gateway: ${requestId}: ${routeKey}: the function's response is malformed: ${start}`);
    }
    if (result === undefined) return sendGatewayResponse(response, 500, "Internal Server Error");
    sendResponse(response, result);
  };

  const integrate = async (route: RouteDefinition, { payload, requestId }: { payload: string; requestId: string }) => {
    const { routeKey, functionArn, credentialsArn, timeoutMilliseconds } = route;
    const refuse = (reason: string) => {
      // The client gets the same request id in the header Apigw-Requestid.
      log(`API Gateway: ${requestId}: ${routeKey}: ${reason}`);
      return undefined;
    };
    if (!permitted.has(route)) {
      const source =
        credentialsArn === undefined ? "no AWS::Lambda::Permission lets" : `${credentialsArn} does not let`;
      return refuse(`${source} apigateway.amazonaws.com invoke ${functionArn}`);
    }
    if (Buffer.byteLength(payload) > maximumPayloadBytes) {
      refuse("the request is larger than Lambda's limit of 6 MB");
      return "too large";
    }
    const invocation = invoke(functionArn, payload);
    if (invocation === undefined) return refuse(`there is no function ${functionArn}`);
    const outcome = await withDeadline(timeoutMilliseconds, invocation);
    if (outcome !== "too late" && outcome.failed) return refuse(`the function failed: ${outcome.payload}`);
    return outcome;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = newRequestId();
    response.setHeader(requestIdHeader, requestId);
    try {
      await answer(request, response, requestId);
    } catch (error) {
      // The client has disconnected, or the function returned a header that can't be sent.
      log(`API Gateway: ${requestId}: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendGatewayResponse(response, 500, "Internal Server Error");
    }
  };
};

const withDeadline = async <Value>(milliseconds: number, work: Promise<Value>): Promise<Value | "too late"> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<"too late">((resolve) => {
    timer = setTimeout(resolve, milliseconds, "too late");
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
};

/** Handles a request, or passes it on by calling `next`. This is the middleware signature of Connect, Express and Vite. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Calls the middleware before the listener. */
export const withMiddleware = (
  middleware: Middleware | undefined,
  listener: Listener,
  log: (text: string) => void,
): Listener => {
  if (middleware === undefined) return listener;
  return (request, response) => {
    const next = (error?: unknown) => {
      if (error === undefined || error === null) return listener(request, response);
      log(`Middleware: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendGatewayResponse(response, 500, "Internal Server Error");
    };
    try {
      middleware(request, response, next);
    } catch (error) {
      next(error);
    }
  };
};
