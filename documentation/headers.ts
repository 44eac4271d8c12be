import type { ZodOpenApiHeadersObject } from "zod-openapi";

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string" as const },
  example,
});

/** The response headers that a client may want to read. */
export const headers = {
  "X-Request-Id": text("Names this request in the service's log: quote it when you ask for help.", "Kf3rXhQdoAMEJrw="),
  "WWW-Authenticate": text("Which header the token belongs in.", 'X-Token realm="Integration API"'),
  "Retry-After": text("How many seconds to wait before the request is sent again.", "1"),
  Location: text("The path of the new resource, relative to the base URL's host.", "/api/v1/key/1234567"),
  Link: text(
    "RFC 8288: the next page, relative to the base URL's host. Absent on the last page.",
    '</api/v1/key?limit=100&cursor=MTIzNDU2Nw>; rel="next"',
  ),
  Deprecation: text("RFC 9745: since when this version is deprecated.", "@1796083200"),
  Sunset: text("RFC 8594: when this version will stop answering.", "Wed, 01 Dec 2027 00:00:00 GMT"),
} as const;

export type HeaderName = keyof typeof headers;

export const headerRef = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });

/** The headers of every answer. */
export const commonHeaders: ZodOpenApiHeadersObject = { "X-Request-Id": headerRef("X-Request-Id") };
