import { STATUS_CODES } from "node:http";
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { notFoundErrorOf } from "../../../lambdas/declaration/errors.ts";
import { ApiError, type FieldMessages } from "../../../lambdas/errors/api-error.ts";
import {
  type ErrorCode,
  type ErrorDeclaration,
  errorCatalogue,
  errorCodes,
  errorGuide,
} from "../../../lambdas/errors/catalogue.ts";
import { wrongCredentialValues } from "../../../lambdas/resources/tokens/authenticate.ts";
import { exampleToken } from "../../../lambdas/resources/tokens/tokens-table.ts";
import { validate } from "../../../lambdas/validation/validate.ts";
import { headerRef, tokenHeaders } from "./headers.ts";

/** Values for the placeholders in the catalogue's messages. */
const exampleValues = ({ credential }: Pick<Endpoint, "credential">) => ({
  ip: "203.0.113.9",
  method: "PATCH",
  allow: "GET, POST",
  successor_id: exampleToken.token_id,
  ...wrongCredentialValues[credential === "invitation" ? "invitation" : "token"],
});

const inScope = (...scopes: ErrorDeclaration["scope"][]): ErrorCode[] =>
  errorCodes.filter((code) => scopes.includes(errorCatalogue[code].scope));

/** The errors that only admins can get, and those of the pages that browsers load, which concern only operators. */
export const [adminErrorCodes, siteErrorCodes] = [inScope("admin"), inScope("site")];

/** The errors that a client of the API can get, in the order of the catalogue. */
export const apiErrorCodes = errorCodes.filter((code) => ![...adminErrorCodes, ...siteErrorCodes].includes(code));

const byStatus = (codes: ErrorCode[]): [status: number, codes: ErrorCode[]][] => [
  ...Map.groupBy(codes, (code) => errorCatalogue[code].status),
];

/** The errors of an endpoint that takes a token and a form, unless it declares more. Others have some of them. */
const sharedErrors = new Map(byStatus(inScope("every-endpoint", "token-check", "every-form")));

/** The error responses that endpoints share, as components. `headers` are those of every response. */
export const sharedErrorResponses = (headers: ZodOpenApiHeadersObject): Record<string, ZodOpenApiResponseObject> => ({
  ...Object.fromEntries(
    [...sharedErrors].map(([status, codes]) => [nameOf(status), errorResponse(codes, headers, {})]),
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

/** Every error response of an endpoint by status, each with a real response as its example. */
export const errorResponses = (endpoint: Endpoint, headers: ZodOpenApiHeadersObject): ZodOpenApiResponsesObject => {
  const { credential = "token", form, errors = [] } = endpoint;
  const shared = new Set<ErrorCode>([
    ...inScope("every-endpoint"),
    ...(credential === "token" ? inScope("token-check") : []),
    ...(form ? inScope("every-form") : []),
  ]);
  const own = new Set<ErrorCode>(errors);
  const codes = errorCodes.filter((code) => shared.has(code) || own.has(code));
  const validation = validationExamples(endpoint);
  return {
    302: { $ref: "#/components/responses/Redirect" },
    ...Object.fromEntries(
      byStatus(codes).map(([status, codes]) => [
        status,
        codes.join() === sharedErrors.get(status)?.join() && !codes.some((code) => own.has(code))
          ? { $ref: `#/components/responses/${nameOf(status)}` }
          : errorResponse(codes, headers, endpoint),
      ]),
    ),
    ...(Object.keys(validation).length > 0 && { 422: validationResponse(validation, headers, endpoint) }),
  };
};

/** `401` is `Unauthorized`. */
const nameOf = (status: number): string => (STATUS_CODES[status] ?? String(status)).replaceAll(" ", "");

const errorResponse = (
  codes: ErrorCode[],
  headers: ZodOpenApiHeadersObject,
  endpoint: Pick<Endpoint, "credential" | "errors">,
): ZodOpenApiResponseObject => ({
  description: codes.map((code) => `\`${code}\`: ${errorGuide[code].when}`).join("\n\n"),
  headers: { ...headers, ...errorHeaders(codes, endpoint) },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        codes.map((code) => [
          code,
          { summary: code, value: { code, message: new ApiError(code, { values: exampleValues(endpoint) }).message } },
        ]),
      ),
    },
  },
});

const errorHeaders = (
  codes: ErrorCode[],
  { errors = [], ...endpoint }: Pick<Endpoint, "credential" | "errors">,
): ZodOpenApiHeadersObject => {
  const [code] = codes;
  if (code === undefined) return {};
  const { status } = errorCatalogue[code];
  const isOfHandler = codes.some((one) => errors.some((declared) => declared === one));
  return {
    ...(beforeLimit.has(status) && !isOfHandler ? {} : tokenHeaders(endpoint)),
    ...(status === 401 && { "WWW-Authenticate": headerRef("WWW-Authenticate") }),
    ...((status === 429 || status === 503) && { "Retry-After": headerRef("Retry-After") }),
  };
};

/** Statuses of requests that were refused before their token's limit was read, unless the handler itself refuses them. */
const beforeLimit: ReadonlySet<number> = new Set([401, 403]);

type ValidationExamples = Record<string, FieldMessages>;

const validationResponse = (
  examples: ValidationExamples,
  headers: ZodOpenApiHeadersObject,
  endpoint: Pick<Endpoint, "credential">,
): ZodOpenApiResponseObject => ({
  description: errorGuide.validation_failed.when,
  headers: { ...headers, ...tokenHeaders(endpoint) },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/ValidationErrors" },
      examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { summary: name, value }])),
    },
  },
});

/** A value that no path parameter accepts, unless its schema accepts any text. */
export const invalidParameter = "!".repeat(300);

/** Real responses: the validation's messages for missing and for invalid fields, and the declared validation errors. */
const validationExamples = (endpoint: Endpoint): ValidationExamples => {
  const { parameters, query, form, validationErrors } = endpoint;
  const examples: ValidationExamples = {};
  const add = (name: string, schema: Endpoint["form"], contentOf: (field: string) => unknown) => {
    if (!schema) return;
    const fields = Object.keys(schema.shape);
    const result = validate(schema, Object.fromEntries(fields.map((field) => [field, contentOf(field)])));
    if (!result.valid) examples[name] = { ...examples[name], ...result.fields };
  };
  add("missing", form, () => undefined);
  // A path that cannot name anything results in the endpoint's 404, if it declares one.
  if (!notFoundErrorOf(endpoint)) add("invalid", parameters, () => invalidParameter);
  add("invalid", form, () => "");
  add("invalid", query, () => "!");
  return { ...examples, ...validationErrors };
};
