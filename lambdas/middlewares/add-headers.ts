import { type Middleware, type Request, refuseUnknown } from "./request.ts";

/** The field in which later middlewares collect headers. */
export interface ResponseHeaders {
  /** Headers of the response, whatever its outcome. */
  responseHeaders: Record<string, string>;
}

interface AddHeadersOptions {
  /** Headers to add to those that every response has. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * Adds the headers that every response has, including errors and redirects. The response's own headers take precedence,
 * except for the request id.
 *
 * @example chain.use(addHeaders({ headers: { "Cache-Control": "no-store" } }))
 */
export const addHeaders = ({ headers = {}, ...unknown }: AddHeadersOptions = {}): Middleware<ResponseHeaders> => {
  refuseUnknown("addHeaders", unknown);
  const everyHeader = {
    "Cache-Control": "no-cache",
    Connection: "close",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    ...headers,
  };
  const collectHeaders = ({ event }: Request<ResponseHeaders>): void => {
    event.responseHeaders = {};
  };
  const setHeaders = ({ event, response }: Request<ResponseHeaders>): void => {
    if (!response) return;
    response.headers = {
      ...everyHeader,
      ...event.responseHeaders,
      ...response.headers,
      "X-Request-Id": event.requestContext.requestId,
    };
  };
  return { before: collectHeaders, after: setHeaders, onError: setHeaders };
};
