import type * as z from "zod/mini";
import type { ZodOpenApiHeadersObject, ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import type { Operation } from "../../lambdas/declaration/api.ts";
import type { ResponseDeclaration } from "../../lambdas/declaration/endpoint.ts";
import { errorResponses } from "./describe-errors.ts";
import { exampleOf } from "./example-of.ts";
import { answerHeaders, headerRef, limitHeaders } from "./headers.ts";

/** The OpenAPI operation of an endpoint in its version. */
export const describeOperation = ({
  endpoint,
  version,
  deprecated,
  functionName,
}: Operation): ZodOpenApiOperationObject => {
  const { summary, description, parameters, query, form, responses } = endpoint;
  const headers = answerHeaders({ deprecated: deprecated !== undefined });

  return {
    operationId: functionName,
    tags: [version],
    summary,
    description,
    ...(deprecated && { deprecated: true }),
    ...((parameters || query) && {
      requestParams: {
        ...(parameters && { path: parameters as z.ZodMiniObject }),
        ...(query && { query: query as z.ZodMiniObject }),
      },
    }),
    ...(form && {
      requestBody: {
        required: true,
        content: { "application/x-www-form-urlencoded": { schema: form, example: exampleOf(form) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [status, describeResponse(response, headers)]),
      ),
      ...errorResponses(endpoint, headers),
    },
  };
};

const describeResponse = (
  { description, body, location, paged }: ResponseDeclaration,
  headers: ZodOpenApiHeadersObject,
): ZodOpenApiResponseObject => ({
  description,
  headers: {
    ...headers,
    ...limitHeaders,
    ...(location && { Location: headerRef("Location") }),
    ...(paged && { Link: headerRef("Link") }),
  },
  ...(body && { content: { "application/json": { schema: body, example: exampleOf(body) } } }),
});
