import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import { acceptJson } from "../middlewares/accept-json.ts";
import { compressBody } from "../middlewares/compress-body.ts";
import { logRequest } from "../middlewares/log-request.ts";
import type { ApiEvent, ApiResponse, Middleware, Request } from "../middlewares/request.ts";
import { ApiError } from "../shared/errors/api-error.ts";

interface ApiChainOptions {
  /** Headers to add to those that every response has. */
  headers?: Record<string, string>;
  /** Returns whether clients must accept JSON on this path. */
  asksForJson?: (path: string) => boolean;
}

/**
 * When a function times out, Lambda ends it without telling the client or our log. A handler that is still running shortly before
 * that is abandoned, in time to tell both. middy does this only while the handler runs, not the other parts of the chain. Those
 * have their own limits: DynamoDB calls end earlier (see `withinInvocation`), and fetching the user pool's keys ends after two
 * seconds.
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
 * The middleware that every request goes through: headers, errors, the log line, `Accept`.
 *
 * middy runs `after` and `onError` from the last middleware to the first. An error is therefore logged, then described, then
 * rendered, and its headers are added last.
 */
export const apiChain = ({ headers = {}, asksForJson }: ApiChainOptions = {}) =>
  middy<ApiEvent, ApiResponse, unknown>(beforeTimeout)
    .use(responseHeaders(headers))
    .use(compressBody())
    .use(httpErrorHandler({ logger: false }))
    .use(describeErrors())
    .use(logRequest())
    .use(acceptJson(asksForJson));

/** Adds the headers that every response has, including errors and redirects, and those in `more`. */
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

/** Converts anything thrown into an HTTP error, which @middy/http-error-handler then renders. */
const describeErrors = (): Middleware => ({
  onError: (request) => {
    request.error = httpError(request.error);
  },
});

const httpError = (error: unknown) => {
  const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
  return { statusCode: known.status, message: JSON.stringify(known), headers: known.headers, expose: true };
};
