import type { Middleware, Request } from "./request.ts";

interface ResponseHeadersOptions {
  /** Headers besides those of every response, such as the ones that announce the end of a version. */
  more?: Record<string, string>;
}

/** Adds the headers of every response, including errors and redirects. */
export const responseHeaders = ({ more = {} }: ResponseHeadersOptions = {}): Middleware => {
  const headers = {
    "Cache-Control": "no-cache",
    Connection: "close",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    ...more,
  };
  const add = ({ event, response }: Request) => {
    if (!response) return;
    const { answerHeaders, requestContext } = event;
    response.headers = { ...headers, ...answerHeaders, ...response.headers, "X-Request-Id": requestContext.requestId };
  };
  return { after: add, onError: add };
};
