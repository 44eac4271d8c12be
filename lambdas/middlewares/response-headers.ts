import type { Version } from "../declaration/api.ts";
import type { Middleware, Request } from "./request.ts";

interface ResponseHeadersOptions {
  deprecated?: Version["deprecated"];
}

/** The headers of every answer, errors and redirects included. */
export const responseHeaders = ({ deprecated }: ResponseHeadersOptions = {}): Middleware => {
  const headers = {
    "Cache-Control": "no-cache",
    Connection: "close",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
    ...(deprecated && deprecationHeaders(deprecated)),
  };
  const add = ({ event, response }: Request) => {
    if (!response) return;
    response.headers = { ...headers, ...response.headers, "X-Request-Id": event.requestContext.requestId };
  };
  return { after: add, onError: add };
};

/** RFC 9745 wants a structured-field date, RFC 8594 an HTTP date. */
const deprecationHeaders = ({ since, sunset }: NonNullable<Version["deprecated"]>) => ({
  Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  Sunset: sunset.toUTCString(),
});
