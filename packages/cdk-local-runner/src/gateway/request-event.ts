import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { JwtContext } from "./jwt-authorizer.ts";

/** The parts of an event that do not come from the request. */
export interface EventSource {
  accountId: string;
  /** The functions' time. */
  now: () => number;
  apiId: string;
  /** Host and port of the local API. They never come from the request, because a Host header can be forged. */
  domainName: string;
}

interface RoutedRequest {
  routeKey: string;
  requestId: string;
  path: string;
  rawQueryString: string;
  pathParameters: Record<string, string> | undefined;
  body: Buffer;
  /** The authorizer's result; undefined if the route has no authorizer. */
  authorizer: JwtContext | undefined;
}

// These headers concern only the connection between client and gateway.
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Creates an event in payload format 2.0. JSON drops undefined members. */
export const requestEvent = (request: IncomingMessage, routed: RoutedRequest, source: EventSource): object => {
  const { routeKey, requestId, path, rawQueryString, pathParameters, body, authorizer } = routed;
  const sourceIp = peerAddressOf(request);
  const { headers, cookies } = readHeaders(request.rawHeaders);
  addGatewayHeaders(headers, sourceIp, source.domainName);
  const isBase64Encoded = body.length > 0 && !isText(headers["content-type"]);
  const now = new Date(source.now());
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString,
    cookies,
    headers,
    queryStringParameters: readQuery(rawQueryString),
    requestContext: {
      accountId: source.accountId,
      apiId: source.apiId,
      authorizer,
      domainName: source.domainName,
      domainPrefix: source.domainName.split(".")[0],
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId,
      routeKey,
      stage: "$default",
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    pathParameters,
    body: body.length === 0 ? undefined : body.toString(isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded,
  };
};

/** Returns the address of the TCP peer. Forwarding headers aren't read, because a client can put anything into them. */
const peerAddressOf = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, "");

/** Returns the headers as a function gets them: names in lower case, repeated headers joined by commas. */
export const headersOf = ({ rawHeaders }: IncomingMessage): Record<string, string> => readHeaders(rawHeaders).headers;

const readHeaders = (rawHeaders: string[]) => {
  const headers: Record<string, string> = {};
  let cookies: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    const value = rawHeaders[index + 1] ?? "";
    if (name === "cookie") {
      cookies = [...(cookies ?? []), ...value.split(";").map((cookie) => cookie.trim())];
    } else if (!hopByHop.has(name)) {
      headers[name] = Object.hasOwn(headers, name) ? `${headers[name]},${value}` : value;
    }
  }
  return { headers, cookies };
};

const addGatewayHeaders = (headers: Record<string, string>, sourceIp: string, domainName: string): void => {
  const forwarded = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = forwarded === undefined ? sourceIp : `${forwarded}, ${sourceIp}`;
  headers["x-forwarded-port"] = domainName.split(":").at(-1) ?? "";
  headers["x-forwarded-proto"] = "http";
  // Uses a UUID, because Node.js fetches the random bytes of many UUIDs at once.
  headers["x-amzn-trace-id"] ??=
    `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll("-", "").slice(-24)}`;
  headers["content-length"] ??= "0";
};

/** Whether a body is passed on as text. Observed: only these types are. Even forms aren't. */
const isText = (contentType = ""): boolean => {
  const mediaType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  return /^text\/|^application\/(json|javascript|xml)$/.test(mediaType);
};

const readQuery = (rawQueryString: string): Record<string, string> | undefined => {
  if (rawQueryString === "") return undefined;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    query[name] = Object.hasOwn(query, name) ? `${query[name]},${value}` : value;
  }
  return query;
};

// Format: 12/Mar/2026:19:03:58 +0000
const commonLogTime = (now: Date): string => {
  const [, day, month, year, time] = now.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
};

/** Generates a request id in API Gateway's format: 15 characters of URL-safe Base64 and a `=` (observed). */
export const newRequestId = (): string => {
  // Uses a UUID, because Node.js fetches the random bytes of many UUIDs at once.
  const bytes = Buffer.from(randomUUID().replaceAll("-", ""), "hex").subarray(0, 11);
  return `${bytes.toString("base64url")}=`;
};

/** The target of a request: the path as functions see it, and the query string as the client sent it. */
export interface RequestTarget {
  path: string;
  rawQueryString: string;
}

/**
 * Parses a request target like API Gateway's HTTP APIs. They decode the path, cut it off at a question mark, and decode it again
 * before routing. Returns undefined if the path can't be decoded, which causes a 400. This is observed; AWS doesn't document any of
 * it.
 *
 * @example readRequestTarget("/keys/a%252Fb%3Fc?d=%20") // { path: "/keys/a/b", rawQueryString: "d=%20" }
 */
export const readRequestTarget = (url: string): RequestTarget | undefined => {
  // A client that mistakes this for a proxy sends a full URL.
  const [sentPath = "", ...query] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").split("?");
  try {
    const [decodedOnce = ""] = decodeURIComponent(sentPath).split("?");
    const path = decodeURIComponent(decodedOnce);
    return { path: path === "" ? "/" : path, rawQueryString: query.join("?") };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};
