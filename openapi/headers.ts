import * as z from "zod/mini";
import type { ZodOpenApiHeadersObject } from "zod-openapi";
import type { Endpoint } from "../lambdas/declaration/endpoint.ts";
import type { Operation } from "../lambdas/declaration/operations.ts";
import { isText, type ResponseDeclaration } from "../lambdas/declaration/responses.ts";
import { rotationCall } from "../lambdas/domain/tokens/life-cycle.ts";

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
    "Identifies this request in the service's log. Quote it when you ask for help.",
    "Kf3rXhQdoAMEJrw=",
  ),
  "Retry-After": {
    description: "How many seconds to wait before sending the request again.",
    required: true,
    schema: { type: "integer" as const, minimum: 0 },
    example: 1,
  },
  "RateLimit-Policy": {
    ...sometimes(
      "The token may make `q` calls per calendar minute (draft-ietf-httpapi-ratelimit-headers). Absent if the token has no limit.",
      '"token";q=600;w=60',
    ),
    ...structured('^"token";q=\\d+;w=60$'),
  },
  RateLimit: {
    ...sometimes(
      "The token has `r` calls left, and the count is reset in `t` seconds (draft-ietf-httpapi-ratelimit-headers). Absent if the token has no limit.",
      '"token";r=598;t=42',
    ),
    ...structured('^"token";r=\\d+;t=\\d+$'),
  },
  "X-Token-Expires-At": {
    ...sometimes(
      "The time when the token expires, in UTC (RFC 3339). Present in the last 30 days.",
      "2026-12-03T10:15:30.123Z",
    ),
    schema: { type: "string" as const, format: "date-time" },
  },
  "X-Token-Rotation": sometimes(
    "The call that rotates the token. Present in the last 30 days before the token expires, if the token has no successor yet and a successor would live longer.",
    rotationCall,
  ),
  Location: always("The path of the new resource, relative to the base URL's host.", ""),
  Link: sometimes(
    "The address of the next page, relative to the base URL's host (RFC 8288). Absent on the last page.",
    "",
  ),
  ETag: always(
    "Identifies the content of the response (RFC 9110). Send it in `If-None-Match` to get the content only if it has changed. Send the `ETag` of a record in `If-Match` to change the record only if nobody else has changed it.",
    '"mi9dbwor"',
  ),
  Vary: sometimes("The response is compressed for clients whose `Accept-Encoding` allows it.", "Accept-Encoding"),
  Deprecation: sometimes(
    "The time when this version was or will be deprecated (RFC 9745). Absent if it is not deprecated.",
    "@1796083200",
  ),
  Sunset: sometimes(
    "The time when this version will stop working (RFC 8594). Absent if it is not deprecated.",
    "Wed, 01 Dec 2027 00:00:00 GMT",
  ),
} as const;

type HeaderName = keyof typeof headers | "WWW-Authenticate";

export const headerRef = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });

/** Returns the headers of every response, including the headers that announce the end of a `deprecated` version. */
export const responseHeaders = ({ deprecated }: { deprecated: boolean }): ZodOpenApiHeadersObject => ({
  "X-Request-Id": headerRef("X-Request-Id"),
  ...(deprecated && { Deprecation: headerRef("Deprecation"), Sunset: headerRef("Sunset") }),
});

/** Returns the headers of every response that is sent after the token and its rate limit were checked. */
export const tokenHeaders = ({ credential = "token" }: Pick<Endpoint, "credential">): ZodOpenApiHeadersObject => ({
  ...(credential !== "workload" && {
    "RateLimit-Policy": headerRef("RateLimit-Policy"),
    RateLimit: headerRef("RateLimit"),
  }),
  ...(credential === "token" && {
    "X-Token-Expires-At": headerRef("X-Token-Expires-At"),
    "X-Token-Rotation": headerRef("X-Token-Rotation"),
  }),
});

/** Returns the headers of a response with an entity tag. */
export const tagHeaders = ({
  paged,
  versioned,
  media,
}: Pick<ResponseDeclaration, "paged" | "versioned" | "media">): ZodOpenApiHeadersObject => ({
  ...((paged || versioned) && { ETag: headerRef("ETag") }),
  ...(paged && { Link: headerRef("Link") }),
  ...((paged || isText(media)) && { Vary: headerRef("Vary") }),
});

/** Returns the `Location` of a redirect. */
export const redirectHeader = (location: NonNullable<ResponseDeclaration["location"]>) => {
  const origins = location === true ? [] : location.origins;
  const elsewhere =
    origins.length > 0 ? `, or an address at ${origins.join(" or ")}, to which you need not send your token` : "";
  return always(
    `Where to go with \`GET\`: a path, relative to the base URL's host${elsewhere}.`,
    `${origins[0] ?? ""}/1234567`,
  );
};

/** Returns the headers that a response declares. */
export const declaredHeaders = (
  schemas: NonNullable<ResponseDeclaration["headers"]>,
  example: (schema: z.core.$ZodType, header: string) => unknown,
): ZodOpenApiHeadersObject => {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(schemas));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, declared]) => {
      const { description = "", examples: [first] = [example(declared, name)], ...schema } = Object(properties[name]);
      return [name, { description, required: required.includes(name), schema, example: first }];
    }),
  );
};

/** Returns the `GET` response that has an `ETag` and supports `If-None-Match`, or `undefined` if the endpoint has none. */
export const taggedResponse = ({
  method,
  responses,
}: Pick<Endpoint, "method" | "responses">): ResponseDeclaration | undefined =>
  method === "GET" ? Object.values(responses).find(({ paged, versioned }) => paged || versioned) : undefined;

/** Returns the conditional request headers that an endpoint supports. */
export const conditionalHeaders = (endpoint: Endpoint) =>
  z.object({
    ...(taggedResponse(endpoint) && { "If-None-Match": ifNoneMatch }),
    ...(isConditional(endpoint) && { "If-Match": ifMatch }),
    ...(isConditional(endpoint) && puts(endpoint) && { "If-None-Match": ifAbsent }),
  });

const isConditional = ({ errors }: Endpoint): boolean => errors?.includes("precondition_failed") === true;

/** Checks whether an endpoint uses the only operation that follows `If-None-Match`. */
const puts = ({ uses }: Endpoint): boolean => Object.values(uses).some((operations) => operations?.includes("put"));

const ifAbsent = z.optional(
  z.string().check(
    z.meta({
      description:
        "`*` if the record may only be created. If it exists already, the response is `412` and nothing changes. Cannot be combined with `If-Match`.",
      // Without an example, so that nothing sends it unasked.
    }),
  ),
);

const ifNoneMatch = z.optional(
  z.string().check(
    z.meta({
      description: "The `ETag` of an earlier response. If nothing has changed, the response is `304` and has no body.",
      examples: ['"mi9dbwor"'],
    }),
  ),
);

const ifMatch = z.optional(
  z.string().check(
    z.meta({
      description:
        "The `ETag` of the record as it was read. If the record has changed since, the response is `412` and nothing changes.",
      // Bruno sends the examples of optional headers. Any record satisfies this one.
      examples: ["*"],
    }),
  ),
);

/**
 * Returns the headers as components. Includes only headers that some response has, and uses paths of these operations in the
 * examples.
 */
export const headerComponents = (
  operations: readonly Operation[],
  { deprecated, realm }: { deprecated: boolean; realm: string },
) => {
  const { "X-Request-Id": requestId, Deprecation, Sunset, Location, Link, ...rest } = headers;
  const pathWith = (header: "location" | "paged") =>
    operations.find(({ endpoint }) =>
      Object.entries(endpoint.responses).some(([status, response]) => response[header] && status !== "303"),
    )?.path;
  const [created, list] = [pathWith("location"), pathWith("paged")];
  return {
    "X-Request-Id": requestId,
    "WWW-Authenticate": always("The header in which the token is expected.", `X-Token realm="${realm}"`),
    ...rest,
    ...(deprecated && { Deprecation, Sunset }),
    ...(created && { Location: { ...Location, example: `${created}/1234567` } }),
    ...(list && { Link: { ...Link, example: `<${list}?limit=100&cursor=MTIzNDU2Nw>; rel="next"` } }),
  };
};
