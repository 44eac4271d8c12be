import { type Key, keys } from "../../../lambdas/domain/keys/keys-table.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { formatTokenValue, hashSecret } from "../../../lambdas/domain/tokens/token-value.ts";
import { apiEvent } from "../../support/events.ts";

/* The requests of all measurements, and the contents of the database: one token, and keys that differ only in their ids. */

const sourceIp = "198.51.100.7";
const secret = "0123456789abcdefghijABCDEFGHIJ0123456789xyz";

export const storedToken: TokenRecord = {
  // The use of the token is never due to be recorded again, which would cause an additional write every few minutes.
  last_used_at: "2999-01-01T00:00:00.000Z",
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: hashSecret(secret),
  ip: sourceIp,
  comment: "billing sync",
  issued_at: "2025-05-05T10:15:30.123Z",
  changed_at: "2025-05-05T10:15:30.123Z",
  issued_by: "invoke:6d7e1b0c-1f5a-4a8e-9d4c-0a3b2c1d0e9f",
  expires_at: "2999-01-01T00:00:00.000Z",
};

/** The number of keys that the service reads for a page of 50. */
export const storedKeys: Key[] = Array.from({ length: 51 }, (_, index) => ({
  ...keys.example,
  key_id: String(1_000_000 + index),
  v_code: `v${index}`.padEnd(64, "0123456789abcdef"),
  created_at: "2025-05-05T10:15:30.123Z",
  updated_at: "2025-05-05T10:15:30.123Z",
}));

const tokenText = formatTokenValue({ token_id: storedToken.token_id, secret });
const form = new URLSearchParams({ key_id: "1234567", v_code: "v".repeat(64) }).toString();

/** Returns an event for a call of `/api/v1/key` with the token. */
const eventOf = (method: "GET" | "POST", { headers = {}, ...fields }: Parameters<typeof apiEvent>[0] = {}) =>
  apiEvent({
    method,
    sourceIp,
    routeKey: `${method} /api/v1/key`,
    headers: { accept: "application/json", "x-token": tokenText, ...headers },
    ...fields,
  });

/** The requests by name, with the expected status of each. */
export const requests = {
  "GET 200": {
    status: 200,
    event: eventOf("GET", { rawQueryString: "limit=50", queryStringParameters: { limit: "50" } }),
  },
  "POST 201": {
    status: 201,
    event: eventOf("POST", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      // API Gateway passes a form on in this encoding.
      body: Buffer.from(form).toString("base64"),
      isBase64Encoded: true,
    }),
  },
} as const;

export type RequestName = keyof typeof requests;
export const requestNames = Object.keys(requests) as RequestName[];
