import type { ZodOpenApiHeadersObject } from "zod-openapi";

const always = (description: string, example: string) => ({
  description,
  required: true,
  schema: { type: "string" as const },
  example,
});
const sometimes = (description: string, example: string) => ({ ...always(description, example), required: false });
const structured = (pattern: string) => ({ schema: { type: "string" as const, pattern } });

/** The response headers that a client may want to read. */
const headers = {
  "X-Request-Id": always(
    "Names this request in the service's log: quote it when you ask for help.",
    "Kf3rXhQdoAMEJrw=",
  ),
  "WWW-Authenticate": always("Which header the token belongs in.", 'X-Token realm="Integration API"'),
  "Retry-After": {
    description: "How many seconds to wait before the request is sent again.",
    required: true,
    schema: { type: "integer" as const, minimum: 0 },
    example: 1,
  },
  "RateLimit-Policy": {
    ...sometimes(
      "draft-ietf-httpapi-ratelimit-headers: the token may send `q` requests in each minute of the clock. Absent if it has no limit.",
      '"token";q=600;w=60',
    ),
    ...structured('^"token";q=\\d+;w=60$'),
  },
  RateLimit: {
    ...sometimes(
      "draft-ietf-httpapi-ratelimit-headers: `r` requests are left, and in `t` seconds all of them again. Absent if the token has no limit.",
      '"token";r=598;t=42',
    ),
    ...structured('^"token";r=\\d+;t=\\d+$'),
  },
  Location: always("The path of the new resource, relative to the base URL's host.", "/api/v1/key/1234567"),
  Link: sometimes(
    "RFC 8288: the next page, relative to the base URL's host. Absent on the last page.",
    '</api/v1/key?limit=100&cursor=MTIzNDU2Nw>; rel="next"',
  ),
  Deprecation: sometimes("RFC 9745: since when this version is deprecated. Absent if it is not.", "@1796083200"),
  Sunset: sometimes(
    "RFC 8594: when this version will stop answering. Absent if it is not deprecated.",
    "Wed, 01 Dec 2027 00:00:00 GMT",
  ),
} as const;

export type HeaderName = keyof typeof headers;

export const headerRef = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });

/** The headers of every answer; those that announce an end where a version is `deprecated`. */
export const answerHeaders = ({ deprecated }: { deprecated: boolean }): ZodOpenApiHeadersObject => ({
  "X-Request-Id": headerRef("X-Request-Id"),
  ...(deprecated && { Deprecation: headerRef("Deprecation"), Sunset: headerRef("Sunset") }),
});

/** The headers of every answer that comes after the check of a token's limit. */
export const limitHeaders: ZodOpenApiHeadersObject = {
  "RateLimit-Policy": headerRef("RateLimit-Policy"),
  RateLimit: headerRef("RateLimit"),
};

/** The headers as components: only those that some answer has. */
export const headerComponents = ({ deprecated }: { deprecated: boolean }) => {
  const { Deprecation, Sunset, ...rest } = headers;
  return deprecated ? headers : rest;
};
