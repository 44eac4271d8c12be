import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import { ApiError } from "../errors/api-error.ts";
import { acceptJson } from "../middlewares/accept-json.ts";
import { compressBody } from "../middlewares/compress-body.ts";
import { describeErrors } from "../middlewares/describe-errors.ts";
import { logRequest } from "../middlewares/log-request.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { responseHeaders } from "../middlewares/response-headers.ts";

interface ApiChainOptions {
  /** Headers besides those that every response has. */
  headers?: Record<string, string>;
  /** Whether the client must ask for JSON on this path. */
  asksForJson?: (path: string) => boolean;
}

/**
 * Lambda ends a function that times out without telling the client or our log. A handler that is still running shortly before
 * that is given up, in time to tell both.
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
 * middy runs `after` and `onError` from the last middleware to the first: an error is logged, then described, then
 * rendered, and gets its headers last.
 */
export const apiChain = ({ headers = {}, asksForJson }: ApiChainOptions = {}) =>
  middy<ApiEvent, ApiResponse, unknown>(beforeTimeout)
    .use(responseHeaders({ more: headers }))
    .use(compressBody())
    .use(httpErrorHandler({ logger: false }))
    .use(describeErrors())
    .use(logRequest())
    .use(acceptJson({ appliesTo: asksForJson }));
