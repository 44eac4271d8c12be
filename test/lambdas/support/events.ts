import { gzipSync } from "node:zlib";
import middy from "@middy/core";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import type { LogEvent } from "../../../lambdas/domain/usage/request-line.ts";
import { responseRenderer } from "../../../lambdas/endpoint/render-full-response.ts";
import { serveEndpoint } from "../../../lambdas/endpoint/serve-endpoint.ts";
import * as readForm from "../../../lambdas/middlewares/read-form.ts";
import * as readJson from "../../../lambdas/middlewares/read-json.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import type { Verified } from "../../../lambdas/middlewares/verify-token.ts";
import { wordIssue } from "../../../lambdas/shared/validation/issue-words.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { author } from "../../support/authors.ts";

export interface EndpointCall extends Omit<NonNullable<Parameters<typeof apiEvent>[0]>, "body"> {
  token: string;
  /** A form's fields, or the text of a body. */
  form?: Record<string, string> | string | undefined;
}

/** Creates an environment of an endpoint's function, called as by API Gateway, by default from the test tokens' address. */
export const environmentOf = (endpoint: Endpoint) => {
  const { readBody } = endpoint.json ? readJson : readForm;
  const serve = serveEndpoint(endpoint, {
    tables,
    realm: "Test",
    readBody,
    words: wordIssue,
    render: responseRenderer(endpoint, "v1"),
  });
  return async ({ token, form, headers, ...event }: EndpointCall) => {
    const response = await serve(
      apiEvent({
        method: endpoint.method,
        routeKey: `${endpoint.method} /api/v1${endpoint.path}`,
        ...event,
        headers: {
          accept: "application/json",
          "x-token": token,
          ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
          ...headers,
        },
        ...(form !== undefined && { body: typeof form === "string" ? form : new URLSearchParams(form).toString() }),
      }),
      lambdaContext,
    );
    const text = response.body ?? "";
    const body: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
    return { status: response.statusCode, headers: { ...response.headers }, text, body };
  };
};

/** Wraps a handler in this middleware, at the end of a chain that collects headers and log fields. */
export const around = <Known>(
  middleware: Middleware<Known>,
  handler: (event: ApiEvent & Known) => Promise<ApiResponse>,
) => {
  const chain = middy<ApiEvent & Known, ApiResponse, unknown>(handler);
  chain.use(middleware);
  return (event: ApiEvent & Partial<Known>) => {
    const started: object = { responseHeaders: {}, logFields: {}, ...event };
    return chain(started as ApiEvent & Known, lambdaContext);
  };
};

/** Runs a single middleware before a handler, and returns the event that the handler gets. */
export const runBefore = async <Known>(
  middleware: Middleware<Known>,
  event: ApiEvent & Partial<Known>,
): Promise<ApiEvent & Known> => {
  let seen: (ApiEvent & Known) | undefined;
  await around(middleware, async (event) => {
    seen = event;
    return { statusCode: 200 };
  })(event);
  if (!seen) throw new Error("the middleware ended the request before its handler");
  return seen;
};

/** Returns the event of a request from this address whose token has been verified. */
export const eventOf = (token: TokenRecord, ip = token.ip): ApiEvent & Verified => ({
  ...apiEvent(),
  caller: { token, client: token.client, ip, author },
});

/** Returns the event that CloudWatch Logs sends to a subscribed function. */
export const logDelivery = (logEvents: object[], messageType = "DATA_MESSAGE"): { awslogs: { data: string } } => {
  const batch = { messageType, owner: "123456789012", logGroup: "requests", logStream: "one", logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(batch)).toString("base64") } };
};

let events = 0;

/** Returns the line that the functions log for a request at this time. */
export const requestEvent = (time: string, fields: object): LogEvent => {
  events += 1;
  const line = { level: "INFO", message: "request", request_id: "r", route: "GET /api/v1/key", ...fields };
  return { id: String(events), timestamp: Date.parse(time), message: `${JSON.stringify(line)}\n` };
};
