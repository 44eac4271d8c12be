import type { LoadedFunctions } from "../../support/loaded-functions.ts";
import type { Case, HttpCase } from "./case.ts";
import type { Fixtures } from "./fixtures.ts";

/** What came of a case. */
export interface Sent {
  functionName: string;
  event: Record<string, unknown>;
  outcome: { answer: unknown } | { error: unknown };
  log: string;
  cpuMilliseconds: number;
}

/** Sends a case to the function that it is for, and takes what that writes to its log. */
export const send = async (one: Case, functions: LoadedFunctions, fixtures: Fixtures): Promise<Sent> => {
  const filled: Case = JSON.parse(fixtures.fill(JSON.stringify(one)));
  const { functionName, event } =
    filled.door === "http" ? httpEvent(filled, functions) : { functionName: "admin", event: filled.payload };

  let log = "";
  const write = process.stdout.write;
  process.stdout.write = (chunk: string | Uint8Array) => {
    log += String(chunk);
    return true;
  };
  const before = process.cpuUsage();
  try {
    const outcome = await functions.invoke(functionName, event).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    const { user, system } = process.cpuUsage(before);
    const cpuMilliseconds = (user + system) / 1000;
    return { functionName, event: event as Record<string, unknown>, outcome, log, cpuMilliseconds };
  } finally {
    process.stdout.write = write;
  }
};

const httpEvent = (one: HttpCase, functions: LoadedFunctions) => {
  const { method, path, query, headers, body, isBase64Encoded = false, sourceIp, claims, tampered } = one;
  const { functionName, routeKey, pathParameters } = functions.route(method, path);
  const http = { method, path, protocol: "HTTP/1.1", userAgent: "fuzz", ...(sourceIp !== null && { sourceIp }) };
  const authorizer = functionName === "admin" && claims && { authorizer: { jwt: { claims, scopes: null } } };
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
    requestContext: { requestId: "request-1", routeKey, stage: "$default", http, ...authorizer },
    ...tampered,
  };
  return { functionName, event };
};

/** As API Gateway reads a query: what comes again is joined with commas. */
const readQuery = (query: string): Record<string, string> => {
  const url = new URLSearchParams(query);
  return Object.fromEntries([...new Set(url.keys())].map((name) => [name, url.getAll(name).join(",")]));
};
