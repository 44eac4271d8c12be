import { ValidationError } from "../shared/errors/api-error.ts";
import { httpError } from "./format-errors.ts";
import type { Middleware, Request } from "./request.ts";

/**
 * Formats a `422`. Its body lists every invalid field with all its messages, and contains nothing else:
 * `{"v_code": ["The v_code must be 64 characters."]}`.
 *
 * @example chain.use(httpErrorHandler({ logger: false })).use(format422())
 */
export const format422 = (): Middleware => {
  const formatFields = (request: Request): void => {
    const { error } = request;
    if (error instanceof ValidationError) request.error = httpError(error, error.fields);
  };
  return { onError: formatFields };
};
