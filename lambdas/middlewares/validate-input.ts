import type { Endpoint } from "../declaration/endpoint.ts";
import { notFoundErrorOf } from "../declaration/errors.ts";
import { ApiError, type FieldMessages, ValidationError } from "../shared/errors/api-error.ts";
import { expectedVersions } from "../shared/http/entity-tags.ts";
import { type Result, type ValidateOptions, validate, type Words } from "../shared/validation/validate.ts";
import type { BodyFields } from "./read-body.ts";
import type { ApiEvent, Middleware, Request } from "./request.ts";

/** A request's input, as the endpoint's schemas read it. */
export interface Input {
  parameters: unknown;
  query: unknown;
  form: unknown;
  json: unknown;
  ifMatch: readonly string[] | undefined;
}

type SentParts = Pick<ApiEvent, "headers" | "routeKey" | "pathParameters" | "queryStringParameters"> &
  Partial<BodyFields>;

/** The field that this middleware adds. */
export interface ValidInput {
  input: Input;
}

interface ValidateInputOptions
  extends Pick<Endpoint, "parameters" | "query" | "form" | "json" | "errors" | "application"> {
  /** Describes what is wrong with a field. Default: see `validate`. */
  words?: Words | undefined;
}

/**
 * Validates the path, the query string and the body. Reports all invalid fields at once.
 *
 * @example chain.use(readForm()).use(validateInput(endpoint)).handler(({ input }) => …)
 */
export const validateInput = (declaration: ValidateInputOptions): Middleware<Partial<BodyFields> & ValidInput> => {
  const read = inputReader(declaration);
  const readInput = ({ event }: Request<Partial<BodyFields> & ValidInput>): void => {
    event.input = read(event);
  };
  return { before: readInput };
};

/**
 * Returns a function that reads an endpoint's input from a request.
 *
 * That function throws an `ApiError`: `path_changed` if the path differs from the one that was sent, the endpoint's `404` if the
 * path parameters cannot be valid, and otherwise a `ValidationError`.
 */
export const inputReader = ({
  parameters,
  query,
  form,
  json,
  errors = [],
  application,
  words,
}: ValidateInputOptions) => {
  const sent = { isForm: true, words };
  const isConditional = errors.includes("precondition_failed");
  const notFoundError = notFoundErrorOf({ errors, application });

  return (event: SentParts): Input => {
    assertSentPath(event);
    const results = {
      parameters: validateIfDeclared(parameters, event.pathParameters, sent),
      query: validateIfDeclared(query, event.queryStringParameters, sent),
      form: validateIfDeclared(form, event.fields, sent),
      json: validateIfDeclared(json, event.fields, { whole: "body", words }),
    };
    if (!results.parameters.valid && notFoundError) throw new ApiError(notFoundError);

    const problems = Object.values(results).map(messagesOf);
    if (problems.some((messages) => messages)) throw new ValidationError(Object.assign({}, ...problems));
    return {
      parameters: inputOf(results.parameters),
      query: inputOf(results.query),
      form: inputOf(results.form),
      json: inputOf(results.json),
      ifMatch: isConditional ? expectedVersions(event.headers) : undefined,
    };
  };
};

const validateIfDeclared = (
  schema: Endpoint["form"],
  fields: unknown = {},
  options?: ValidateOptions,
): Result<unknown> => (schema ? validate(schema, fields, options) : { valid: true, value: undefined });

const messagesOf = (result: Result<unknown>): FieldMessages | undefined => (result.valid ? undefined : result.fields);

const inputOf = (result: Result<unknown>): unknown => (result.valid ? result.value : undefined);

/**
 * Rejects a request whose path no longer means what the client sent. To get this check, clients repeat the path in the header
 * `X-Sent-Path`, percent-encoded once. Without the header, there is nothing to compare.
 *
 * API Gateway decodes paths twice, and its treatment of some characters is undocumented. Not even `rawPath` shows what was sent.
 * The comparison uses the route and its parameters, because they decide what a request does.
 *
 * @throws {ApiError} `path_changed`
 */
export const assertSentPath = ({
  headers,
  routeKey,
  pathParameters = {},
}: Pick<ApiEvent, "headers" | "routeKey" | "pathParameters">): void => {
  const sent = headers["x-sent-path"];
  if (sent === undefined) return;
  const [, template = ""] = routeKey.split(" ");
  const arrived = template.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters[name] ?? "");
  if (decode(sent) !== arrived) throw new ApiError("path_changed");
};

const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};
