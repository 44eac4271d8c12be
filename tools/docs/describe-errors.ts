import { STATUS_CODES } from "node:http";
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { Endpoint } from "../../lambdas/declaration/endpoint.ts";
import { ApiError, type FieldMessages } from "../../lambdas/errors/api-error.ts";
import { type ErrorCode, errorCatalogue } from "../../lambdas/errors/catalogue.ts";
import { validate } from "../../lambdas/validation/validate.ts";
import { errorGuide } from "./error-guide.ts";
import { headerRef, limitHeaders } from "./headers.ts";

/** What fills the placeholders of the catalogue's messages in the examples. */
const exampleValues = { ip: "203.0.113.9", method: "PATCH", allow: "GET, POST" };

const everyEndpoint: ErrorCode[] = [
  "token_missing",
  "token_invalid",
  "token_expired",
  "token_revoked",
  "ip_not_allowed",
  "rate_limited",
  "internal_error",
  "unavailable",
];

const everyForm: ErrorCode[] = ["malformed_form", "content_too_large", "unsupported_media_type"];

/** The error responses that endpoints have in common, as components. `headers` are those of every answer. */
export const sharedErrorResponses = (headers: ZodOpenApiHeadersObject): Record<string, ZodOpenApiResponseObject> => ({
  ...Object.fromEntries(
    byStatus([...everyEndpoint, ...everyForm]).map(([status, codes]) => [
      nameOf(status),
      errorResponse(codes, headers),
    ]),
  ),
  Redirect: {
    description: "The `Accept` header does not name `application/json`.",
    headers: {
      ...headers,
      Location: {
        description: "This documentation.",
        required: true,
        schema: { type: "string" },
        example: "/api/documentation",
      },
    },
  },
});

/** Every error response of an endpoint by status, each with an example that is a real answer. */
export const errorResponses = (endpoint: Endpoint, headers: ZodOpenApiHeadersObject): ZodOpenApiResponsesObject => {
  const { form, query, absent } = endpoint;
  const shared = byStatus([...everyEndpoint, ...(form ? everyForm : [])]);
  return {
    302: { $ref: "#/components/responses/Redirect" },
    ...Object.fromEntries(
      shared.map(([status]) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }]),
    ),
    ...(absent && { [`${errorCatalogue[absent].status}`]: errorResponse([absent], headers) }),
    ...((form || query) && { 422: validationResponse(endpoint, headers) }),
  };
};

const byStatus = (codes: ErrorCode[]): [status: number, codes: ErrorCode[]][] => [
  ...Map.groupBy(codes, (code) => errorCatalogue[code].status),
];

/** `401` is `Unauthorized`. */
const nameOf = (status: number): string => (STATUS_CODES[status] ?? String(status)).replaceAll(" ", "");

const errorResponse = (codes: ErrorCode[], headers: ZodOpenApiHeadersObject): ZodOpenApiResponseObject => ({
  description: codes.map((code) => `\`${code}\`: ${errorGuide[code].when}`).join("\n\n"),
  headers: { ...headers, ...errorHeaders(codes) },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        codes.map((code) => [
          code,
          { summary: code, value: { code, message: new ApiError(code, { values: exampleValues }).message } },
        ]),
      ),
    },
  },
});

const errorHeaders = (codes: ErrorCode[]): ZodOpenApiHeadersObject => {
  const [code] = codes;
  if (code === undefined) return {};
  const { status } = errorCatalogue[code];
  return {
    ...(beforeLimit.has(status) ? {} : limitHeaders),
    ...(status === 401 && { "WWW-Authenticate": headerRef("WWW-Authenticate") }),
    ...((status === 429 || status === 503) && { "Retry-After": headerRef("Retry-After") }),
  };
};

/** A token that is refused has no limit that it could be told of. */
const beforeLimit: ReadonlySet<number> = new Set([401, 403]);

const validationResponse = (endpoint: Endpoint, headers: ZodOpenApiHeadersObject): ZodOpenApiResponseObject => ({
  description: errorGuide.validation_failed.when,
  headers: { ...headers, ...limitHeaders },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/ValidationErrors" },
      examples: Object.fromEntries(
        Object.entries(validationExamples(endpoint)).map(([name, value]) => [name, { summary: name, value }]),
      ),
    },
  },
});

/** Real answers: what the validation itself says of nothing and of nonsense, and the conflicts that are declared. */
const validationExamples = ({ form, query, conflicts = {} }: Endpoint): Record<string, FieldMessages> => {
  const examples: Record<string, FieldMessages> = {};
  const add = (name: string, schema: Endpoint["form"], contentOf: (field: string) => unknown) => {
    if (!schema) return;
    const fields = Object.keys(schema._zod.def.shape);
    const result = validate(schema, Object.fromEntries(fields.map((field) => [field, contentOf(field)])));
    if (!result.valid) examples[name] = result.fields;
  };
  add("missing", form, () => undefined);
  add("invalid", form, () => "");
  add("invalid", query, () => "!");
  return { ...examples, ...conflicts };
};
