import { gzipSync } from "node:zlib";
import { pagePaths, settingsPath } from "../lambdas/addresses.ts";
import type { adminContract } from "../lambdas/admin/contract.ts";
import type { Operation } from "../lambdas/declaration/operations.ts";
import type { VersionCheck } from "../lambdas/functions/serve-version-check.ts";
import { formatTokenText, type TextKind } from "../lambdas/resources/tokens/token-text.ts";

/*
 * What a new version of each function is asked before it gets any calls. The requests are as real as they can be without
 * changing or revealing data.
 */

/** A well-formed text whose id is from 1970, so no record has it: the function must look it up to refuse it. */
const unknownText = (kind: TextKind) => formatTokenText({ token_id: "0".repeat(26), secret: "0".repeat(43) }, kind);

interface HttpRequest {
  method: string;
  routeKey: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  pathParameters?: Readonly<Record<string, string>>;
  queryStringParameters?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
}

/** A request as API Gateway passes it on, from an address that is reserved for documentation. */
const httpEvent = ({
  method,
  routeKey,
  path,
  headers = {},
  pathParameters,
  queryStringParameters,
  body,
}: HttpRequest) => ({
  version: "2.0",
  routeKey,
  rawPath: path,
  rawQueryString: new URLSearchParams(queryStringParameters).toString(),
  headers,
  ...(queryStringParameters && { queryStringParameters }),
  ...(pathParameters && { pathParameters }),
  ...(body !== undefined && { body: Buffer.from(body).toString("base64") }),
  isBase64Encoded: body !== undefined,
  requestContext: {
    requestId: "version-check",
    routeKey,
    stage: "$default",
    http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "version-check" },
  },
});

/** The endpoint's own example. The refusal shows that the function starts, knows its tables and may read the tokens. */
export const endpointChecks = (
  { endpoint: { method, credential, example }, path }: Operation,
  routeKey: string,
): VersionCheck[] => {
  const { parameters = {}, query, form } = example;
  return [
    {
      request: httpEvent({
        method,
        routeKey,
        path: path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? ""),
        headers: {
          accept: "application/json",
          "x-token": unknownText(credential === "invitation" ? "invitation" : "token"),
          ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        },
        pathParameters: parameters,
        queryStringParameters: query,
        body: form && new URLSearchParams(form).toString(),
      }),
      answer: { statusCode: 401, body: { code: "token_invalid" } },
    },
  ];
};

/** Each page and the settings. */
export const siteChecks: VersionCheck[] = [
  ...pagePaths.map((path) => ({
    request: httpEvent({ method: "GET", routeKey: `GET ${path}`, path }),
    answer: { statusCode: 200, headers: { "Content-Type": "text/html; charset=utf-8" } },
  })),
  {
    request: httpEvent({ method: "GET", routeKey: `GET ${settingsPath}`, path: settingsPath }),
    answer: { statusCode: 200, headers: { "Content-Type": "application/json" } },
  },
];

export const fallbackChecks: VersionCheck[] = [
  {
    request: httpEvent({
      method: "GET",
      routeKey: "$default",
      path: "/api/version-check",
      headers: { accept: "application/json" },
    }),
    answer: { statusCode: 404, body: { code: "endpoint_not_found" } },
  },
];

/** Reads one token, if there is any. */
export const adminChecks: VersionCheck[] = [
  { request: { action: "list" satisfies keyof typeof adminContract, limit: 1 }, answer: { tokens: [] } },
];

/** Reads one notice, if there is any. */
export const noticeChecks: VersionCheck[] = [{ request: { task: "check" }, answer: { checked: true } }];

/** A delivery without lines. */
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
  // The header names the operating system. It must not make a difference to what is deployed.
  delivery.writeUInt8(255, 9);
  return [{ request: { awslogs: { data: delivery.toString("base64") } }, answer: null }];
};
