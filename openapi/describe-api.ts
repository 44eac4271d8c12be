import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { type Operation, operationsOf } from "../lambdas/declaration/operations.ts";
import type { Service } from "../lambdas/declaration/service.ts";
import { serviceFolder } from "../lambdas/shared/project-folder.ts";
import { clientNameOf } from "./clients/client-names.ts";
import { apiErrors, sharedErrorResponses } from "./describe-errors.ts";
import { describeOperation, tagOf } from "./describe-operation.ts";
import { headerComponents, responseHeaders } from "./headers.ts";

/** The name, version and licence of the service's package. */
const { name, version, license } = z
  .object({ name: z._default(z.string(), "api"), version: z.string(), license: z.optional(z.string()) })
  .parse(JSON.parse(readFileSync(join(serviceFolder, "package.json"), "utf8")));

/** Thrown if declarations are incomplete. The message names each of them. */
export class IncompleteDeclarations extends Error {}

/**
 * Generates the OpenAPI 3.1 description of a service from its declarations.
 *
 * @throws {IncompleteDeclarations}
 */
export const describeApi = (service: Service): ReturnType<typeof createDocument> => {
  const problems: string[] = [];
  const paths = pathsOf(service, problems);
  const errors = apiErrors(service.errors);
  if (problems.length > 0) throw new IncompleteDeclarations(problems.join("\n"));
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: service.title,
      version,
      // The samples of the documentation use the client of this name.
      "x-client": clientNameOf(name),
      description: introduction,
      ...(license !== undefined && { license: { name: license, identifier: license } }),
    },
    // The service inserts its own address here when it serves the description.
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: tagsOf(service),
    paths,
    components: {
      securitySchemes: securitySchemes(service),
      headers: headerComponents(operationsOf(service), { ...endOf(service), realm: service.name }),
      schemas: {
        Error: {
          type: "object",
          description: "Every error except `422`.",
          required: ["code", "message"],
          properties: {
            code: { type: "string", enum: Object.keys(errors), description: "Identifies the error, for programs." },
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
      responses: sharedErrorResponses(responseHeaders(endOf(service))),
    },
    // Used by the documentation page, which shows what to do about each error.
    "x-errors": Object.fromEntries(
      Object.entries(errors).map(([code, { status, when, solve }]) => [code, { status, when, solve }]),
    ),
  });
};

/** Returns a tag for each resource of a version. Tokens come last, because every service has them. */
const tagsOf = (service: Service) => {
  const isOfTokens = ({ resource }: Operation): number => Number(resource.name === "tokens");
  const operations = operationsOf(service).toSorted((one, other) => isOfTokens(one) - isOfTokens(other));
  const tags = new Map(operations.map((operation) => [tagOf(operation), operation]));
  return [...tags].map(([name, { version, deprecated }]) => ({
    name,
    description: deprecated
      ? `Version ${version.slice(1)}: deprecated, and removed after ${deprecated.sunset.toUTCString()}.`
      : `Version ${version.slice(1)}.`,
  }));
};

const inTokenHeader = (description: string) => ({
  type: "apiKey" as const,
  in: "header" as const,
  name: "X-Token",
  description,
});

/** Describes both kinds of credentials. They are sent in the same header, but only a few endpoints accept an invitation. */
const securitySchemes = (service: Service) => ({
  token: inTokenHeader("An access token. It works only from the IP address that it is bound to."),
  ...(operationsOf(service).some(({ endpoint }) => endpoint.credential === "invitation") && {
    invitation: inTokenHeader(
      "An invitation, which begins with `iti_` and works once: exchange it for an access token.",
    ),
  }),
});

/** Checks whether any version is deprecated. If so, the parts that are common to all versions mention it. */
const endOf = (service: Service) => ({ deprecated: Object.keys(service.deprecated ?? {}).length > 0 });

const pathsOf = (service: Service, problems: string[]): ZodOpenApiPathsObject => {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operationsOf(service)) {
    const method = operation.endpoint.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: describeOperation(operation, problems) };
  }
  return paths;
};

/** The introduction of the description, as Markdown. */
const introduction = `\
This API lets other systems integrate with the service. \`/api/documentation\` shows this description with a guide and with samples for each call. A good first call is \`GET /api/v1/token\`.

- **Token.** It is bound to one IP address and works only from there. Send it in the \`X-Token\` header. Any valid token may call any endpoint.
- **Getting a token.** An admin gives you a token or, better, an invitation, which your own machine exchanges for a token with \`POST /api/v1/token\`. A workload that its platform identifies, such as a CI job, gets one from \`POST /api/v1/token/exchange\`. Later, you can rotate the token, move it to another address and revoke it yourself. Calls that need an admin's confirmation return \`202\` with a code until they have it: tell the admin the code, and repeat the call.
- **Accept.** Every request must name \`application/json\` in its \`Accept\` header. Any other request, including one without the header or with \`*/*\`, is redirected to \`/api/documentation\`: with \`302\` for \`GET\` and \`HEAD\`, and with \`307\`, which keeps the method, for all others.
- **Bodies** are form-encoded (\`name=value\` pairs joined by \`&\`, at most 16 KiB) or JSON, as each operation says. A JSON body is an object with at most 16 levels and 100,000 members and items. A member that occurs twice and a number that would be rounded are rejected. \`PATCH\` takes a merge patch (RFC 7396): \`null\` removes a member, and lists are replaced as a whole.
- **Paths.** Percent-encode an id in a path, once: \`a/b\` becomes \`a%2Fb\`. An id cannot contain \`%\` or \`?\` and cannot be \`.\` or \`..\`, because API Gateway, which receives all requests, decodes paths twice and cuts them off at a \`?\`. If your ids contain \`+\`, \`\\\`, \`;\`, several slashes in a row, a slash at the start or end, or segments of dots, repeat the path in the header \`X-Sent-Path\`, encoded as in the request line. If anything on the way changes the path, the service then responds with \`400\` \`path_changed\` and does nothing, instead of addressing another record.
- **Pages.** Without \`limit\`, a list has as many items as fit into one response. While there are more, the \`Link\` header has the address of the next page, with \`rel="next"\`.
- **Retries.** Every call can be repeated safely. After a \`429\` or a \`503\`, wait for the number of seconds in \`Retry-After\` first.
- **Connections.** Responses are sent with \`Connection: close\`, but a deployed service is behind API Gateway, which manages connections itself and reserves this header: you see HTTP/2, which has no such header, or HTTP/1.1 with \`Connection: keep-alive\`. Do not rely on either. Connections can be reused.
- **Conditional requests.** Send the \`ETag\` of a response in \`If-None-Match\` to get a \`304\` if nothing has changed, and in \`If-Match\`, where an endpoint takes it, to change a record only if nobody else has.
- **Compression.** Longer responses are compressed for clients that send \`Accept-Encoding: br\` or \`gzip\`.
- **Limits.** A token may be limited to a number of requests per minute. Each response then has the limit in \`RateLimit-Policy\` and the number of requests left in \`RateLimit\`.
- **Expiry.** From 30 days before a token expires, each response has the time in \`X-Token-Expires-At\`, and in \`X-Token-Rotation\` the call that replaces the token.
- **Versions.** The version is part of the path. A version that is going to be removed sends the headers \`Deprecation\` and \`Sunset\`.

Check the status of every response. A \`422\` lists the invalid fields, \`{"field": ["message"]}\`, up to 100 messages, and names nested fields by their path, such as \`lines.0.quantity\`; every other error is \`{"code": "…", "message": "…"}\`.
`;
