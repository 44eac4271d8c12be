import * as z from "zod/mini";
import type {
  ZodOpenApiHeadersObject,
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { Endpoint, ObjectSchema } from "../lambdas/declaration/endpoint.ts";
import { jsonBodyOf, maxJsonBytes } from "../lambdas/declaration/json-body.ts";
import type { Operation } from "../lambdas/declaration/operations.ts";
import { requestExampleOf } from "../lambdas/declaration/request-example.ts";
import type { ResponseDeclaration } from "../lambdas/declaration/responses.ts";
import { isText } from "../lambdas/declaration/responses.ts";
import { wordIssue } from "../lambdas/shared/validation/issue-words.ts";
import { sampleOf } from "../lambdas/shared/validation/sample-value.ts";
import { validate } from "../lambdas/shared/validation/validate.ts";
import { errorResponses } from "./describe-errors.ts";
import {
  conditionalHeaders,
  declaredHeaders,
  headerRef,
  redirectHeader,
  responseHeaders,
  taggedResponse,
  tagHeaders,
  tokenHeaders,
} from "./headers.ts";
import { responseProblems } from "./response-problems.ts";

/** Groups the operations of a version by the name of their resource. For example, the operations of `keys` are in `Keys (v1)`. */
export const tagOf = ({ resource: { name }, version }: Operation): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", " ")} (${version})`;

/**
 * Describes an endpoint in one version as an OpenAPI operation.
 *
 * @param problems receives a sentence for each example that is missing or that the endpoint's own schemas reject
 */
export const describeOperation = (operation: Operation, problems: string[]): ZodOpenApiOperationObject => {
  const { endpoint, deprecated, functionName } = operation;
  const { summary, description, credential, parameters, query, responses } = endpoint;
  problems.push(...exampleProblems(operation), ...responseProblems(operation));
  const headers = responseHeaders({ deprecated: deprecated !== undefined });
  const requestHeaders = conditionalHeaders(endpoint);
  const isConditional = Object.keys(requestHeaders.shape).length > 0;

  return {
    operationId: functionName,
    tags: [tagOf(operation)],
    summary,
    description,
    ...(deprecated && { deprecated: true }),
    ...(endpoint.repeatable && { "x-repeatable": true }),
    ...(endpoint.example?.client !== undefined && { "x-example-client": endpoint.example.client }),
    ...(credential === "invitation" && { security: [{ invitation: [] }] }),
    ...(credential === "workload" && { security: [] }),
    ...((parameters || query || isConditional) && {
      requestParams: {
        ...(parameters && { path: parameters }),
        ...(query && { query: query }),
        ...(isConditional && { header: requestHeaders }),
      },
    }),
    ...requestBody(endpoint),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          describeResponse(response, { ...endpoint, status: Number(status) }, headers, (schema, header) =>
            exampleOf(schema, `${functionName}: response ${status}${header ? `: ${header}` : ""}`, problems),
          ),
        ]),
      ),
      ...notModified(endpoint, headers),
      ...errorResponses(endpoint, headers),
    },
  };
};

const requestBody = (endpoint: Endpoint): Pick<ZodOpenApiOperationObject, "requestBody"> => {
  const { form, json } = endpoint;
  const example = requestExampleOf(endpoint);
  if (form) {
    const content = { schema: form, example: typedFields(form, example.form) };
    return { requestBody: { required: true, content: { "application/x-www-form-urlencoded": content } } };
  }
  if (!json) return {};
  const content = jsonBodyOf(endpoint).mediaTypes.map((type) => [type, { schema: json, example: example.json }]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
};

const integer = z.object({ type: z.literal("integer") });

/** Converts the fields of a form to the types in its schema, because a form sends numbers as text. */
const typedFields = (form: ObjectSchema, fields: Readonly<Record<string, string>> = {}) => {
  const { properties = {} } = z.toJSONSchema(form, { io: "input" });
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      z.safeParse(integer, properties[name]).success ? Number(value) : value,
    ]),
  );
};

const describeResponse = (
  { description, body, media, headers: declared = {}, location, ...tagged }: ResponseDeclaration,
  endpoint: Endpoint & { status: number },
  headers: ZodOpenApiHeadersObject,
  example: (schema: z.core.$ZodType, header?: string) => unknown,
): ZodOpenApiResponseObject => ({
  description: media ? `${description} The body has the type \`${media}\`.` : description,
  headers: {
    ...headers,
    ...tokenHeaders(endpoint),
    ...(location && { Location: endpoint.status === 303 ? redirectHeader(location) : headerRef("Location") }),
    ...(body && { Vary: headerRef("Vary") }),
    ...tagHeaders({ ...tagged, ...(media && { media }) }),
    ...declaredHeaders(declared, example),
  },
  ...(body && { content: { "application/json": { schema: body, example: example(body) } } }),
  ...(media && { content: { [media]: { schema: mediaSchema(media) } } }),
});

const mediaSchema = (media: string) =>
  isText(media) ? { type: "string" as const } : { type: "string" as const, format: "binary" };

/** Describes the response to a `GET` request for content that the client already has. */
const notModified = (endpoint: Endpoint, headers: ZodOpenApiHeadersObject): ZodOpenApiResponsesObject => {
  const tagged = taggedResponse(endpoint);
  if (!tagged) return {};
  return {
    304: {
      description: "Nothing has changed: the `If-None-Match` header names the current `ETag`.",
      headers: { ...headers, ...tokenHeaders(endpoint), ...tagHeaders(tagged) },
    },
  };
};

const exampleProblems = ({ endpoint, functionName }: Operation): string[] => {
  const example = requestExampleOf(endpoint);
  const problems = (["parameters", "query", "form", "json"] as const).flatMap((part) => {
    const schema = endpoint[part];
    const result = schema && validate(schema, example[part] ?? {}, { words: wordIssue });
    if (!result || result.valid) return [];
    return `${functionName}: the example's ${part} is not valid: ${JSON.stringify(result.fields)}`;
  });
  const { maxBytes } = jsonBodyOf(endpoint);
  const isTooLarge = maxBytes > maxJsonBytes;
  return [...problems, ...(isTooLarge ? [`${functionName}: jsonBytes may be at most ${maxJsonBytes}.`] : [])];
};

/**
 * Returns an example of a response. The problems name the place of each string that lacks one: `v1-get-key: response 200: v_code`.
 */
const exampleOf = (schema: z.core.$ZodType, place: string, problems: string[]): unknown =>
  sampleOf(schema, {
    onInvented(path) {
      const where = path === "" ? place : `${place}: ${path}`;
      problems.push(`${where} needs an example: add z.meta({ examples: […] }) to its schema.`);
    },
  });
