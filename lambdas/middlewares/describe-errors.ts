import { ApiError } from "../errors/api-error.ts";
import { Redirect } from "../errors/redirect.ts";
import type { Middleware } from "./request.ts";

/** The shape that @middy/http-error-handler renders. */
interface HttpError {
  statusCode: number;
  message: string;
  headers: Record<string, string>;
  expose: true;
}

/** Turns anything that was thrown into an HTTP error, which @middy/http-error-handler then renders. */
export const describeErrors = (): Middleware => ({
  onError: (request) => {
    request.error = httpError(request.error);
  },
});

const httpError = (error: unknown): HttpError => {
  if (error instanceof Redirect) {
    return { statusCode: 302, message: "", headers: { Location: error.location }, expose: true };
  }
  const known = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
  return { statusCode: known.status, message: JSON.stringify(known), headers: known.headers, expose: true };
};
