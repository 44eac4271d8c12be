import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Key } from "../../lambdas/resources/keys/key-store.ts";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, hashSecret } from "../../lambdas/resources/tokens/token-text.ts";

/* The requests of every measurement, and the contents of the database: one token, and keys that differ only in their ids. */

const sourceIp = "198.51.100.7";
const secret = "0123456789abcdefghijABCDEFGHIJ0123456789xyz";

export const storedToken: TokenRecord = {
  // Never due for another recording, which would be an additional write every few minutes.
  last_used_at: "2999-01-01T00:00:00.000Z",
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: hashSecret(secret),
  ip: sourceIp,
  comment: "billing sync",
  issued_at: "2025-05-05T10:15:30.123Z",
  issued_by: "invoke:6d7e1b0c-1f5a-4a8e-9d4c-0a3b2c1d0e9f",
  expires_at: "2999-01-01T00:00:00.000Z",
};

/** As many as the service reads for a page of 50. */
export const storedKeys: Key[] = Array.from({ length: 51 }, (_, index) => ({
  key_id: String(1_000_000 + index),
  v_code: `v${index}`.padEnd(64, "0123456789abcdef"),
  created_at: "2025-05-05T10:15:30.123Z",
  updated_at: "2025-05-05T10:15:30.123Z",
}));

const tokenText = formatTokenText({ token_id: storedToken.token_id, secret });
const form = new URLSearchParams({ key_id: "1234567", v_code: "v".repeat(64) }).toString();

interface Call {
  method?: "GET" | "POST";
  query?: string;
  body?: string;
}

/**
 * An event as API Gateway makes it (payload format 2.0) for a call of `/api/v1/key`, with the usual headers except
 * `Accept-Encoding`.
 */
const eventOf = ({ method = "GET", query = "", body }: Call): APIGatewayProxyEventV2 => ({
  version: "2.0",
  routeKey: `${method} /api/v1/key`,
  rawPath: "/api/v1/key",
  rawQueryString: query,
  headers: {
    accept: "application/json",
    "content-length": String(body?.length ?? 0),
    host: "abcdefghij.execute-api.eu-central-1.amazonaws.com",
    "user-agent": "integrator/1.0",
    "x-amzn-trace-id": "Root=1-69203b52-3f6a1c2b4d5e6f7081920a3b",
    "x-forwarded-for": sourceIp,
    "x-forwarded-port": "443",
    "x-forwarded-proto": "https",
    "x-token": tokenText,
    ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  },
  ...(query && { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
  requestContext: {
    accountId: "123456789012",
    apiId: "abcdefghij",
    domainName: "abcdefghij.execute-api.eu-central-1.amazonaws.com",
    domainPrefix: "abcdefghij",
    http: { method, path: "/api/v1/key", protocol: "HTTP/1.1", sourceIp, userAgent: "integrator/1.0" },
    requestId: "UB0ejgkHliAEJWw=",
    routeKey: `${method} /api/v1/key`,
    stage: "$default",
    time: "21/Nov/2026:10:15:30 +0000",
    timeEpoch: 1_795_256_130_000,
  },
  // As API Gateway passes a form on.
  ...(body !== undefined && { body: Buffer.from(body).toString("base64") }),
  isBase64Encoded: body !== undefined,
});

/** The requests by name, with the expected status of each. */
export const requests = {
  "GET 200": { status: 200, event: eventOf({ query: "limit=50" }) },
  "POST 201": { status: 201, event: eventOf({ method: "POST", body: form }) },
} as const satisfies Record<string, { status: number; event: APIGatewayProxyEventV2 }>;

export type RequestName = keyof typeof requests;
export const requestNames = Object.keys(requests) as RequestName[];
