import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import { ApiError } from "../errors/api-error.ts";
import { acceptJson } from "../middlewares/accept-json.ts";
import { compressBody } from "../middlewares/compress-body.ts";
import { logRequest } from "../middlewares/log-request.ts";
import type { ApiEvent, ApiResponse, Middleware, Request } from "../middlewares/request.ts";

interface ApiChainOptions {
  /** Headers besides those that every response has. */
  headers?: Record<string, string>;
  /** Whether the client must ask for JSON on this path. */
  asksForJson?: (path: string) => boolean;
}

/**
 * Lambda ends a function that times out without telling the client or our log. A handler that is still running shortly before
 * that is given up, in time to tell both. middy does not do so while the other parts of the chain run. Whatever these wait for has
 * a limit of its own: calls of DynamoDB end earlier (see `withinInvocation`), and the keys of the user pool take two seconds.
 */
const beforeTimeout = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw new ApiError("unavailable", {
      cause: new Error("The handler had not finished before the function's time-out."),
    });
  },
};

/**
 * The part of the chain that every request to a function goes through: headers, errors, the log line, `Accept`.
 *
 * middy runs `after` and `onError` from the last middleware to the first: an error is logged, then described, then rendered, and
 * gets its headers last.
 */
export const apiChain = ({ headers = {}, asksForJson }: ApiChainOptions = {}) =>
  middy<ApiEvent, ApiResponse, unknown>(beforeTimeout)
    .use(responseHeaders(headers))
    .use(compressBody())
    .use(httpErrorHandler({ logger: false }))
    .use(describeErrors())
    .use(logRequest())
    .use(acceptJson(asksForJson));

/** Adds the headers of every response, including errors and redirects, and `more`. */
const responseHeaders = (more: Record<string, string>): Middleware => {
  const headers = {
    "Cache-Control": "no-cache",
    Connection: "close",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    ...more,
  };
  const add = ({ event, response }: Request) => {
    if (!response) return;
    response.headers = {
      ...headers,
      ...event.responseHeaders,
      ...response.headers,
      "X-Request-Id": event.requestContext.requestId,
    };
  };
  return { after: add, onError: add };
};

/** Turns anything that was thrown into an HTTP error, which @middy/http-error-handler then renders. */
const describeErrors = (): Middleware => ({
  onError: (request) => {
    request.error = httpError(request.error);
  },
});

const httpError = (error: unknown) => {
  const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
  return { statusCode: known.status, message: JSON.stringify(known), headers: known.headers, expose: true };
};
