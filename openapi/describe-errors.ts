import { STATUS_CODES } from "node:http";
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { Endpoint } from "../lambdas/declaration/endpoint.ts";
import { notFoundErrorOf } from "../lambdas/declaration/errors.ts";
import { jsonBodyOf } from "../lambdas/declaration/json-body.ts";
import { type DocumentedErrors, errorsWith } from "../lambdas/declaration/service.ts";
import { wrongCredentialValues } from "../lambdas/domain/tokens/authenticate.ts";
import { unknownSubject } from "../lambdas/domain/tokens/by-workload/read-jwt.ts";
import { exampleToken } from "../lambdas/domain/tokens/tokens-table.ts";
import { redirectStatus } from "../lambdas/middlewares/accept-json.ts";
import { sizeText } from "../lambdas/middlewares/read-body.ts";
import { maxFormBytes } from "../lambdas/middlewares/read-form.ts";
import { documentationPath } from "../lambdas/shared/addresses.ts";
import { ApiError, type FieldMessages } from "../lambdas/shared/errors/api-error.ts";
import { errorGuide } from "../lambdas/shared/errors/catalogue.ts";
import { wordIssue } from "../lambdas/shared/validation/issue-words.ts";
import { validate } from "../lambdas/shared/validation/validate.ts";
import { headerRef, tokenHeaders } from "./headers.ts";

/** The parts of an endpoint that its errors depend on. */
type Described = Partial<Pick<Endpoint, "method" | "credential" | "json" | "jsonBytes" | "errors">>;

/** Returns values for the placeholders in the catalogue's messages. */
const exampleValues = ({ credential, json, jsonBytes, method = "POST" }: Described) => ({
  ip: "203.0.113.9",
  method: "PATCH",
  allow: "GET, POST",
  successor_id: exampleToken.token_id,
  claim: "sub",
  types: "application/x-www-form-urlencoded",
  limit: sizeText(maxFormBytes),
  ...(json && jsonValues(jsonBodyOf({ method, jsonBytes }))),
  problem: unknownSubject("repo:acme/shop:ref:refs/heads/next"),
  ...wrongCredentialValues[credential === "invitation" ? "invitation" : "token"],
});

const jsonValues = ({ mediaTypes, maxBytes }: ReturnType<typeof jsonBodyOf>) => ({
  types: mediaTypes.join(" or "),
  limit: sizeText(maxBytes),
});

type Scope = DocumentedErrors[string]["scope"];

/** Returns the errors of these scopes, in the order of the catalogue. */
export const inScope = (errors: DocumentedErrors, ...scopes: Scope[]): DocumentedErrors =>
  Object.fromEntries(Object.entries(errors).filter(([, { scope }]) => scopes.includes(scope)));

/** Returns the errors that a client of the API can get. Leaves out the errors of admin actions and of the pages for browsers. */
export const apiErrors = (errors: DocumentedErrors): DocumentedErrors =>
  Object.fromEntries(Object.entries(errors).filter(([, { scope }]) => scope !== "admin" && scope !== "site"));

const byStatus = (errors: DocumentedErrors): [status: number, errors: DocumentedErrors][] =>
  [...Map.groupBy(Object.entries(errors), ([, { status }]) => status)].map(([status, entries]) => [
    status,
    Object.fromEntries(entries),
  ]);

/** Returns the error for a request with this method that does not accept JSON. Its status depends on the method. */
const redirects = (method: string): DocumentedErrors =>
  Object.fromEntries(
    Object.entries(inScope(errorsWith(), "accept")).map(([code, error]) => [
      code,
      { ...error, status: redirectStatus(method) },
    ]),
  );

/** The errors of an endpoint that takes a token and a form, besides those that it declares. Other endpoints have some of them. */
const sharedErrors = new Map([
  ...byStatus(redirects("GET")),
  ...byStatus(redirects("POST")),
  ...byStatus(inScope(errorsWith(), "every-endpoint", "x-token", "token-check", "every-form", "every-body")),
]);

/** Returns the error responses that endpoints share, as components. `headers` are the headers of every response. */
export const sharedErrorResponses = (headers: ZodOpenApiHeadersObject): Record<string, ZodOpenApiResponseObject> =>
  Object.fromEntries(
    [...sharedErrors].map(([status, errors]) => [nameOf(status), errorResponse(status, errors, headers, {})]),
  );

/** Returns all error responses of an endpoint by status, each with a real response as its example. */
export const errorResponses = (endpoint: Endpoint, headers: ZodOpenApiHeadersObject): ZodOpenApiResponsesObject => {
  const { method, credential = "token", form, json, errors: declared = [], application } = endpoint;
  const scopes = new Set<Scope>(["every-endpoint"]);
  if (credential !== "workload") scopes.add("x-token");
  if (credential === "token") scopes.add("token-check");
  if (form) scopes.add("every-form");
  if (json) scopes.add("every-json");
  if (form ?? json) scopes.add("every-body");
  const errors = {
    ...redirects(method),
    ...Object.fromEntries(
      Object.entries(errorsWith(application?.errors)).filter(
        ([code, { scope }]) => scopes.has(scope) || declared.includes(code),
      ),
    ),
  };
  const validation = validationExamples(endpoint);
  return {
    ...Object.fromEntries(
      byStatus(errors).map(([status, errors]) => {
        const codes = Object.keys(errors);
        const isShared =
          !codes.some((code) => json && errors[code]?.scope === "every-body") &&
          codes.join() === Object.keys(sharedErrors.get(status) ?? {}).join() &&
          !codes.some((code) => declared.includes(code));
        return [
          status,
          isShared
            ? { $ref: `#/components/responses/${nameOf(status)}` }
            : errorResponse(status, errors, headers, endpoint),
        ];
      }),
    ),
    ...(Object.keys(validation).length > 0 && { 422: validationResponse(validation, headers, endpoint) }),
  };
};

/** Turns `401` into `Unauthorized`. */
const nameOf = (status: number): string => (STATUS_CODES[status] ?? String(status)).replaceAll(" ", "");

const errorResponse = (
  status: number,
  errors: DocumentedErrors,
  headers: ZodOpenApiHeadersObject,
  endpoint: Described,
): ZodOpenApiResponseObject => ({
  description: Object.entries(errors)
    .map(([code, { when }]) => `\`${code}\`: ${when}`)
    .join("\n\n"),
  headers: { ...headers, ...errorHeaders(status, Object.keys(errors), endpoint) },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        Object.entries(errors).map(([code, declared]) => {
          const { message } = new ApiError({ code, ...declared }, { values: exampleValues(endpoint) });
          return [code, { summary: code, value: { code, message } }];
        }),
      ),
    },
  },
});

const errorHeaders = (
  status: number,
  codes: readonly string[],
  { errors = [], ...endpoint }: Pick<Endpoint, "credential" | "errors">,
): ZodOpenApiHeadersObject => {
  const isOfHandler = codes.some((code) => errors.includes(code));
  return {
    ...(beforeLimit.has(status) && !isOfHandler ? {} : tokenHeaders(endpoint)),
    ...(isRedirect(status) && { Location: documentationLocation }),
    ...(status === 401 && { "WWW-Authenticate": headerRef("WWW-Authenticate") }),
    ...((status === 429 || status === 503) && { "Retry-After": headerRef("Retry-After") }),
  };
};

const isRedirect = (status: number): boolean => status === 302 || status === 307;

const documentationLocation = {
  description: "This documentation.",
  required: true,
  schema: { type: "string" as const },
  example: documentationPath,
};

/** Statuses of requests that are rejected before the token's rate limit is checked, unless the handler itself rejects them. */
const beforeLimit: ReadonlySet<number> = new Set([302, 307, 401, 403]);

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

/** A value that no path parameter accepts, unless its schema accepts any string. */
export const invalidParameter = "!".repeat(300);

/** Returns real responses: the validation messages for missing and for invalid fields, and the declared validation errors. */
const validationExamples = (endpoint: Endpoint): ValidationExamples => {
  const { parameters, query, form, json, validationErrors } = endpoint;
  const examples: ValidationExamples = {};
  const add = (name: string, schema: Endpoint["form"], contentOf: (field: string) => unknown) => {
    if (!schema) return;
    const fields = Object.keys(schema._zod.def.shape);
    const sent = Object.fromEntries(fields.map((field) => [field, contentOf(field)]));
    const result = validate(schema, sent, {
      ...(schema === json ? { whole: "body" } : { isForm: true }),
      words: wordIssue,
    });
    if (!result.valid) examples[name] = { ...examples[name], ...result.fields };
  };
  add("missing", form ?? json, () => undefined);
  // If the endpoint declares a 404, path parameters that can't be valid result in that 404.
  if (!notFoundErrorOf(endpoint)) add("invalid", parameters, () => invalidParameter);
  add("invalid", form ?? json, () => "");
  add("invalid", query, () => "!");
  return { ...examples, ...validationErrors };
};
