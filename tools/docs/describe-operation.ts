import type { ZodOpenApiHeadersObject, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import type { Operation } from "../../lambdas/declaration/api.ts";
import type { ResponseDeclaration } from "../../lambdas/declaration/endpoint.ts";
import { validate } from "../../lambdas/validation/validate.ts";
import { errorResponses } from "./describe-errors.ts";
import { exampleOf } from "./example-of.ts";
import { answerHeaders, headerRef, limitHeaders } from "./headers.ts";

/** The OpenAPI operation of an endpoint in one version. */
export const describeOperation = (operation: Operation): ZodOpenApiOperationObject => {
  const { endpoint, version, deprecated, functionName } = operation;
  const { summary, description, parameters, query, form, responses, example } = endpoint;
  assertExample(operation);
  const headers = answerHeaders({ deprecated: deprecated !== undefined });

  return {
    operationId: functionName,
    tags: [version],
    summary,
    description,
    ...(deprecated && { deprecated: true }),
    ...((parameters || query) && {
      requestParams: {
        ...(parameters && { path: parameters }),
        ...(query && { query: query }),
      },
    }),
    ...(form && {
      requestBody: {
        required: true,
        content: { "application/x-www-form-urlencoded": { schema: form, example: example.form ?? {} } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          describeResponse(response, headers, `${functionName}: response ${status}`),
        ]),
      ),
      ...errorResponses(endpoint, headers),
    },
  };
};

const describeResponse = (
  { description, body, location, paged }: ResponseDeclaration,
  headers: ZodOpenApiHeadersObject,
  place: string,
): ZodOpenApiResponseObject => ({
  description,
  headers: {
    ...headers,
    ...limitHeaders,
    ...(location && { Location: headerRef("Location") }),
    ...(paged && { Link: headerRef("Link") }),
  },
  ...(body && { content: { "application/json": { schema: body, example: exampleOf(body, place) } } }),
});

/** @throws {Error} naming the endpoint and the field of an example request that its own schemas refuse. */
const assertExample = ({ endpoint, functionName }: Operation): void => {
  const { example } = endpoint;
  for (const part of ["parameters", "query", "form"] as const) {
    const schema = endpoint[part];
    const result = schema && validate(schema, example[part] ?? {});
    if (result && !result.valid) {
      throw new Error(`${functionName}: the example's ${part} are not valid: ${JSON.stringify(result.fields)}`);
    }
  }
};
