import { gzipSync } from "node:zlib";
import type { adminContract } from "../lambdas/admin/contract.ts";
import { jsonBodyOf } from "../lambdas/declaration/json-body.ts";
import type { Operation } from "../lambdas/declaration/operations.ts";
import { requestExampleOf } from "../lambdas/declaration/request-example.ts";
import { type Proof, proofRequest } from "../lambdas/domain/prove-rights.ts";
import { unsignedJwt } from "../lambdas/domain/tokens/by-workload/read-jwt.ts";
import { formatTokenValue, type TokenValueKind } from "../lambdas/domain/tokens/token-value.ts";
import type { Uses } from "../lambdas/dynamodb/uses.ts";
import { settingsPath } from "../lambdas/shared/addresses.ts";
import type { VersionCheck } from "../lambdas/version-check/serve-version-check.ts";

/*
 * The requests that a new version of each function must pass before it receives any calls. They are as realistic as possible
 * without changing or revealing data.
 */

/** Returns a well-formed value whose id is from 1970, so no record has it. The function must look it up to reject it. */
const unknownValue = (kind: TokenValueKind) =>
  formatTokenValue({ token_id: "0".repeat(26), secret: "0".repeat(43) }, kind);

/** Returns a request as API Gateway passes it on, from an address that is reserved for documentation. */
const httpEvent = (method: string, routeKey: string, path: string, others: object = {}) => ({
  version: "2.0",
  routeKey,
  rawPath: path,
  rawQueryString: "",
  headers: {},
  isBase64Encoded: false,
  requestContext: {
    requestId: "version-check",
    routeKey,
    stage: "$default",
    http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "version-check" },
  },
  ...others,
});

/** Sends the endpoint's own example. The rejection proves that the function starts, knows its tables and may read the tokens. */
export const endpointChecks = ({ endpoint, path }: Operation, routeKey: string): VersionCheck[] => {
  const { method, credential } = endpoint;
  const { parameters, query, form, json } = requestExampleOf(endpoint);
  const body = form ? new URLSearchParams(form).toString() : JSON.stringify(json);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? "");
  const request = httpEvent(method, routeKey, filled, {
    rawQueryString: new URLSearchParams(query).toString(),
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    pathParameters: parameters,
    headers: {
      accept: "application/json",
      "x-token": unknownValue(credential === "invitation" ? "invitation" : "token"),
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...(json && { "content-type": jsonBodyOf(endpoint).mediaTypes[0] }),
    },
    ...(body && { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }),
  });
  const code = credential === "workload" ? "jwt_invalid" : "token_invalid";
  return [{ request, response: { statusCode: 401, body: { code } } }];
};

/** Requests each page and the settings. */
export const siteChecks = (pages: readonly string[]): VersionCheck[] => [
  ...pages.map((path) => ({
    request: httpEvent("GET", `GET ${path}`, path),
    response: { statusCode: 200, headers: { "Content-Type": "text/html; charset=utf-8" } },
  })),
  {
    request: httpEvent("GET", `GET ${settingsPath}`, settingsPath),
    response: { statusCode: 200, headers: { "Content-Type": "application/json" } },
  },
];

export const fallbackChecks: VersionCheck[] = [
  {
    request: httpEvent("GET", "$default", "/api/version-check", { headers: { accept: "application/json" } }),
    response: { statusCode: 404, body: { code: "endpoint_not_found" } },
  },
];

/** Reads one token, if one exists. */
export const adminChecks: VersionCheck[] = [
  { request: { action: "list" satisfies keyof typeof adminContract, limit: 1 }, response: { tokens: [] } },
];

/** Sends a token with an unknown signature. The function must fetch the user pool's keys to reject it. */
export const adminHttpChecks: VersionCheck[] = [
  {
    request: httpEvent("GET", "GET /admin/tokens", "/admin/tokens", {
      headers: { authorization: `Bearer ${unsignedJwt({})}` },
    }),
    response: { statusCode: 401, body: { code: "sign_in_required" } },
  },
];

/** Makes functions try each right that they need on their tables. */
export const rightsChecks = (uses: Uses): VersionCheck[] =>
  Object.keys(uses).length === 0
    ? []
    : [{ request: proofRequest, response: { proven: true, failures: [] } satisfies Proof }];

/** Sends a delivery that contains no log lines. */
export const usageChecks = (): VersionCheck[] => {
  const batch = {
    messageType: "DATA_MESSAGE",
    owner: "",
    logGroup: "",
    logStream: "",
    subscriptionFilters: [],
    logEvents: [],
  };
  const delivery = gzipSync(JSON.stringify(batch));
  // Overwrites the operating system in the gzip header, which must not change the template.
  delivery.writeUInt8(255, 9);
  return [{ request: { awslogs: { data: delivery.toString("base64") } }, response: null }];
};
