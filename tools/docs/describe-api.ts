import { readFileSync } from "node:fs";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { type Api, operationsOf } from "../../lambdas/declaration/operations.ts";
import { errorCatalogue, errorGuide } from "../../lambdas/errors/catalogue.ts";
import { sharedErrorResponses } from "./describe-errors.ts";
import { describeOperation } from "./describe-operation.ts";
import { apiErrorCodes } from "./error-codes.ts";
import { answerHeaders, headerComponents } from "./headers.ts";
import { introduction } from "./introduction.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** The OpenAPI 3.1 description of an API, generated from its declarations. */
export const describeApi = (api: Api) =>
  createDocument({
    openapi: "3.1.1",
    info: {
      title: "Integration API",
      version,
      description: introduction(),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // The service puts its own address here when it serves the description.
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: Object.entries(api).map(([name, { deprecated }]) => ({
      name,
      description: deprecated
        ? `Version ${name.slice(1)}: deprecated, and removed after ${deprecated.sunset.toUTCString()}.`
        : `Version ${name.slice(1)}.`,
    })),
    paths: pathsOf(api),
    components: {
      securitySchemes: securitySchemes(api),
      headers: headerComponents(endOf(api)),
      schemas: {
        Error: {
          type: "object",
          description: "Every error except `422`.",
          required: ["code", "message"],
          properties: {
            code: { type: "string", enum: apiErrorCodes, description: "Identifies the error, for programs." },
            message: { type: "string", description: "Explains what to do, for people. Do not parse it." },
          },
          additionalProperties: false,
        },
        ValidationErrors: {
          type: "object",
          description: "Each invalid field with all its messages.",
          additionalProperties: { type: "array", minItems: 1, items: { type: "string" } },
        },
      },
      responses: sharedErrorResponses(answerHeaders(endOf(api))),
    },
    // For the documentation page, which shows what to do about each error.
    "x-errors": Object.fromEntries(
      apiErrorCodes.map((code) => [code, { status: errorCatalogue[code].status, ...errorGuide[code] }]),
    ),
  });

const inTokenHeader = (description: string) => ({
  type: "apiKey" as const,
  in: "header" as const,
  name: "X-Token",
  description,
});

/** Both kinds of credentials are sent in the same header; only a few endpoints take an invitation. */
const securitySchemes = (api: Api) => ({
  token: inTokenHeader("An access token. It works only from the IP address that it is bound to."),
  ...(operationsOf(api).some(({ endpoint }) => endpoint.credential === "invitation") && {
    invitation: inTokenHeader(
      "An invitation, which begins with `iti_` and works once: exchange it for an access token.",
    ),
  }),
});

/** Whether any version is deprecated: the parts that all versions share then mention it. */
const endOf = (api: Api) => ({ deprecated: Object.values(api).some(({ deprecated }) => deprecated !== undefined) });

const pathsOf = (api: Api): ZodOpenApiPathsObject => {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operationsOf(api)) {
    const method = operation.endpoint.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: describeOperation(operation) };
  }
  return paths;
};
