import type { ServerResponse } from "node:http";
import * as z from "../support/zod.ts";

/** The HTTP response that a function returns. */
interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
  body: Buffer;
}

const scalar = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String));

const responseSchema = z.object({
  statusCode: z.coerce.number().check(z.int(), z.minimum(200), z.maximum(599)),
  headers: z.nullish(z.record(z.string(), scalar)),
  cookies: z.nullish(z.array(z.string())),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
});

/**
 * Parses a function's result (JSON text) by the rules of payload format 2.0. Documented: a value without `statusCode` is the body
 * of a 200. Observed: a string is sent without its quotes. Returns undefined for a malformed result, which causes a 500.
 */
export const readResponse = (payload: string): GatewayResponse | undefined => {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== "object" || result === null || !("statusCode" in result)) {
    const body = Buffer.from(typeof result === "string" ? result : payload);
    return { statusCode: 200, headers: { "content-type": "application/json" }, cookies: [], body };
  }
  const parsed = responseSchema.safeParse(result);
  if (!parsed.success) return undefined;
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  return {
    statusCode,
    headers: headers ?? {},
    cookies: cookies ?? [],
    body: Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8"),
  };
};

/**
 * Sends the response. Header names are put in title case, as API Gateway sends them over HTTP/1.1 (observed). Every header is sent,
 * even `Connection`, except for the content length, which is computed here. A response without a content type is sent as text, even
 * if it has no body. Throws if a header can't be sent.
 */
export const sendResponse = (
  response: ServerResponse,
  { statusCode, headers, cookies, body }: GatewayResponse,
): void => {
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== "content-length") response.setHeader(inTitleCase(name), value);
  }
  if (cookies.length > 0) response.appendHeader("Set-Cookie", cookies);
  if (!response.hasHeader("content-type")) response.setHeader("Content-Type", "text/plain; charset=utf-8");
  if (statusCode === 204 || statusCode === 304) {
    response.writeHead(statusCode).end();
    return;
  }
  response.writeHead(statusCode, { "Content-Length": body.length }).end(body);
};

const inTitleCase = (name: string): string =>
  name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

/** The header with API Gateway's request id. It is in every response, whether from the function or from the gateway. */
export const requestIdHeader = "Apigw-Requestid";

/** Sends a response from the gateway itself. */
export const sendGatewayResponse = (
  response: ServerResponse,
  statusCode: number,
  message: string,
  headers: Record<string, string> = {},
): void => {
  for (const name of response.getHeaderNames()) if (name !== requestIdHeader.toLowerCase()) response.removeHeader(name);
  sendResponse(response, {
    statusCode,
    headers: { "content-type": "application/json", ...headers },
    cookies: [],
    body: Buffer.from(JSON.stringify({ message })),
  });
};
