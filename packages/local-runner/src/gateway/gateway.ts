import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JWTVerifyGetKey } from "jose";
import type { HttpApiDefinition, RouteDefinition } from "../assembly/http-api.ts";
import type { MayInvoke } from "../assembly/permissions.ts";
import { type InvokeByArn, maximumPayloadBytes } from "../lambda/outcome.ts";
import { messageOf } from "../local-error.ts";
import { readBody } from "../read-body.ts";
import { readResponse, requestIdHeader, sendGatewayAnswer, sendResponse } from "./function-response.ts";
import { authorizeByJwt, isRefusal } from "./jwt-authorizer.ts";
import { type EventSource, headersOf, requestEvent } from "./request-event.ts";
import { createRouteTable, type RouteMatch } from "./route-table.ts";

const maximumBodyBytes = 10 * 1024 * 1024;

export interface GatewayOptions {
  /** Undefined if the stacks have none: every path is then a 404. */
  readonly api: HttpApiDefinition | undefined;
  readonly accountId: string;
  readonly domainName: string;
  readonly mayInvoke: MayInvoke;
  invoke: InvokeByArn;
  /** The keys of an issuer of tokens; undefined if it does not run here. */
  readonly keysOf: (issuer: string) => JWTVerifyGetKey | undefined;
  readonly log: (text: string) => void;
}

const noApi: HttpApiDefinition = { id: "", stageVariables: undefined, routes: [] };

/** Makes the request listener that stands in for API Gateway. */
export function createGateway({ api = noApi, accountId, domainName, mayInvoke, invoke, keysOf, log }: GatewayOptions) {
  const findRoute = createRouteTable(api.routes);
  const source: EventSource = { accountId, apiId: api.id, domainName, stageVariables: api.stageVariables };
  const permitted = new Map(
    api.routes.map((route) => [route, mayInvoke(api.id, route.routeKey, route.functionArn)] as const),
  );

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    response.setHeader(requestIdHeader, requestId);
    try {
      await answer(request, response, requestId);
    } catch (error) {
      // The client has gone, or the function gave a header that cannot be sent.
      log(`API Gateway: ${requestId}: ${request.method} ${request.url}: ${messageOf(error)}`);
      if (!response.headersSent) sendGatewayAnswer(response, 500, "Internal Server Error");
    }
  };

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    const body = await readBody(request, maximumBodyBytes);
    if (body === undefined) return sendGatewayAnswer(response, 413, "Request Entity Too Large");
    const target = readTarget(request.url ?? "/");
    if (target === undefined) return sendGatewayAnswer(response, 400, "Bad Request");
    const match = findRoute(request.method ?? "", target.path);
    if (match === undefined) return sendGatewayAnswer(response, 404, "Not Found");

    const authorizer = await authorize(request, match.target);
    if (authorizer && isRefusal(authorizer)) {
      const { statusCode, message, challenge } = authorizer;
      return sendGatewayAnswer(response, statusCode, message, { "www-authenticate": challenge });
    }
    const { routeKey } = match.target;
    const routed = { ...target, routeKey, requestId, body, pathParameters: match.pathParameters, authorizer };
    const payload = JSON.stringify(requestEvent(request, routed, source));
    const outcome = await integrate(match, { payload, requestId });
    if (outcome === "too late") return sendGatewayAnswer(response, 503, "Service Unavailable");
    const result = outcome && readResponse(outcome.payload);
    if (result === undefined) {
      if (outcome)
        log(
          `API Gateway: ${requestId}: ${routeKey}: the function's response is malformed: ${outcome.payload.slice(0, 200)}`,
        );
      return sendGatewayAnswer(response, 500, "Internal Server Error");
    }
    sendResponse(response, result);
  }

  async function authorize(request: IncomingMessage, { authorizer, scopes }: RouteDefinition) {
    if (authorizer === undefined) return undefined;
    const { authorization } = headersOf(request);
    return authorizeByJwt(authorization, { authorizer, scopes }, keysOf(authorizer.issuer));
  }

  async function integrate(
    { target }: RouteMatch<RouteDefinition>,
    { payload, requestId }: { payload: string; requestId: string },
  ) {
    const { routeKey, functionArn, timeoutMilliseconds } = target;
    const refuse = (reason: string) => {
      // The request id is the one that the client has, in the header Apigw-Requestid.
      log(`API Gateway: ${requestId}: ${routeKey}: ${reason}`);
      return undefined;
    };
    if (!permitted.get(target)) {
      return refuse(`no AWS::Lambda::Permission lets apigateway.amazonaws.com invoke ${functionArn}`);
    }
    if (Buffer.byteLength(payload) > maximumPayloadBytes) return refuse("the request is more than Lambda takes (6 MB)");
    const invocation = invoke(functionArn, payload);
    if (invocation === undefined) return refuse(`there is no function ${functionArn}`);
    const outcome = await withinMilliseconds(timeoutMilliseconds, invocation);
    if (outcome !== "too late" && outcome.failed) return refuse(`the function failed: ${outcome.payload}`);
    return outcome;
  }
}

/**
 * Splits the request target. The path comes decoded, as API Gateway's HTTP APIs hand it on and route by it: an encoded
 * slash separates segments, and an encoded question mark cuts the path off. Undefined if the encoding is malformed.
 */
function readTarget(url: string): { path: string; rawQueryString: string } | undefined {
  const [rawPath = "", ...query] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").split("?");
  try {
    const [path = ""] = decodeURIComponent(rawPath).split("?");
    return { path: path === "" ? "/" : path, rawQueryString: query.join("?") };
  } catch {
    return undefined;
  }
}

async function withinMilliseconds<Value>(limit: number, work: Promise<Value>): Promise<Value | "too late"> {
  let timer: NodeJS.Timeout | undefined;
  const limited = new Promise<"too late">((resolve) => {
    timer = setTimeout(resolve, limit, "too late");
  });
  try {
    return await Promise.race([work, limited]);
  } finally {
    clearTimeout(timer);
  }
}
