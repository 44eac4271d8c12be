import { ApiError, ValidationError } from "../shared/errors/api-error.ts";
import type { Middleware, Request } from "./request.ts";

/** Returns an error as middy's error handler expects it. The handler sends the message as the body. */
export const httpError = ({ status, headers }: ApiError, body: unknown) => ({
  statusCode: status,
  headers,
  message: JSON.stringify(body),
  expose: true,
});

/** Returns the body of an error: what is wrong, for programs and for people. */
export const errorBody = ({ code, message }: ApiError) => ({ code, message });

/**
 * Formats errors as `{"code": "key_not_found", "message": "There is no key …"}`. Anything thrown that is not an error of the
 * catalogue or of an application becomes an `internal_error`, and only the log has its cause.
 *
 * @example chain.use(httpErrorHandler({ logger: false })).use(formatErrors())
 */
export const formatErrors = (): Middleware => {
  const formatError = (request: Request): void => {
    const { error } = request;
    // See format-422.ts.
    if (error instanceof ValidationError) return;
    const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
    request.error = httpError(known, errorBody(known));
  };
  return { onError: formatError };
};
