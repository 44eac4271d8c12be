import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { JwtContext } from "./jwt-authorizer.ts";

/** What a request event tells beyond the request itself. */
export interface EventSource {
  readonly accountId: string;
  readonly apiId: string;
  /** Host and port of the local API. From the run, never from the request: a Host header can be forged. */
  readonly domainName: string;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
}

export interface RoutedRequest {
  readonly routeKey: string;
  readonly requestId: string;
  readonly path: string;
  readonly rawQueryString: string;
  readonly pathParameters: Readonly<Record<string, string>> | undefined;
  readonly body: Buffer;
  /** What the route's authorizer found out; undefined if it has none. */
  readonly authorizer: JwtContext | undefined;
}

// They belong to the connection between client and gateway, and the gateway makes another to the function.
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Makes the event of payload format 2.0, as JSON would carry it: what is undefined is absent. */
export function requestEvent(request: IncomingMessage, routed: RoutedRequest, source: EventSource): object {
  const { routeKey, requestId, path, rawQueryString, pathParameters, body, authorizer } = routed;
  const sourceIp = peerAddressOf(request);
  const { headers, cookies } = readHeaders(request.rawHeaders);
  addGatewayHeaders(headers, sourceIp, source.domainName);
  const isBase64Encoded = body.length > 0 && !isText(headers["content-type"]);
  const now = new Date();
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
    stageVariables: source.stageVariables,
    body: body.length === 0 ? undefined : body.toString(isBase64Encoded ? "base64" : "utf8"),
    isBase64Encoded,
  };
}

/** The TCP peer. Forwarding headers say what the client likes, so none is read. */
export const peerAddressOf = ({ socket }: IncomingMessage): string =>
  (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, "");

/** The headers as a function gets them: names in lower case, and one that was sent twice joined by a comma. */
export const headersOf = ({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> =>
  readHeaders(rawHeaders).headers;

function readHeaders(rawHeaders: readonly string[]) {
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
}

function addGatewayHeaders(headers: Record<string, string>, sourceIp: string, domainName: string): void {
  const forwarded = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = forwarded === undefined ? sourceIp : `${forwarded}, ${sourceIp}`;
  headers["x-forwarded-port"] = domainName.split(":").at(-1) ?? "";
  headers["x-forwarded-proto"] = "http";
  // Of a UUID, because Node.js draws random bytes for many of those at once.
  headers["x-amzn-trace-id"] ??=
    `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll("-", "").slice(-24)}`;
  headers["content-length"] ??= "0";
}

const isText = (contentType = ""): boolean => {
  const mediaType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  return /^text\/|^application\/(json|javascript|xml)$|\+(json|xml)$/.test(mediaType);
};

function readQuery(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === "") return undefined;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    query[name] = Object.hasOwn(query, name) ? `${query[name]},${value}` : value;
  }
  return query;
}

// 12/Mar/2026:19:03:58 +0000
const commonLogTime = (now: Date): string => {
  const [, day, month, year, time] = now.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
};
