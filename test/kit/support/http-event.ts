import type { LoadedFunctions } from "./loaded-functions.ts";

/** A request in the form in which it arrives at API Gateway. */
export interface IncomingRequest {
  method: string;
  /** The decoded path. */
  path: string;
  query: string;
  headers: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
  /** Null for an event without an address. */
  sourceIp?: string | null;
}

/** Returns the function for a request, and the event that API Gateway passes to it (payload format 2.0). */
export const httpEvent = (request: IncomingRequest, functions: Pick<LoadedFunctions, "route">) => {
  const { method, path, query, headers, body, isBase64Encoded = false, sourceIp = "127.0.0.1" } = request;
  const { functionName, routeKey, pathParameters } = functions.route(method, path);
  const http = { method, path, protocol: "HTTP/1.1", userAgent: "test", ...(sourceIp !== null && { sourceIp }) };
  const event = {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(query !== "" && { queryStringParameters: readQuery(query) }),
    ...(pathParameters && { pathParameters }),
    ...(body !== undefined && { body }),
    isBase64Encoded,
    requestContext: {
      requestId: "Kf3rXhQdoAMEJrw=",
      routeKey,
      stage: "$default",
      domainName: "api.example.com",
      http,
    },
  };
  return { functionName, event };
};

/** Parses a query. API Gateway joins repeated parameters with commas. */
const readQuery = (query: string): Record<string, string> => {
  const url = new URLSearchParams(query);
  return Object.fromEntries([...new Set(url.keys())].map((name) => [name, url.getAll(name).join(",")]));
};
