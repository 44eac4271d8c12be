import { type Key, keys } from "../../../lambdas/domain/keys/keys-table.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { formatTokenValue, hashSecret } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleToken } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { apiEvent } from "../../support/events.ts";

/* The requests of all measurements, and the contents of the database: one token, and keys that differ only in their ids. */

const secret = "0123456789abcdefghijABCDEFGHIJ0123456789xyz";
const { token_id } = exampleToken;

export const storedToken: TokenRecord = {
  ...exampleToken,
  secret_hash: hashSecret(secret),
  expires_at: "2999-01-01T00:00:00.000Z",
  // The use of the token is never due to be recorded again, which would cause an additional write every few minutes.
  last_used_at: "2999-01-01T00:00:00.000Z",
};

/** The number of keys that the service reads for a page of 50. */
export const storedKeys: Key[] = Array.from({ length: 51 }, (_, index) => ({
  ...keys.example,
  key_id: String(1_000_000 + index),
  v_code: `v${index}`.padEnd(64, "0123456789abcdef"),
}));

const headers = { accept: "application/json", "x-token": formatTokenValue({ token_id, secret }) };
const form = new URLSearchParams({ key_id: "1234567", v_code: "v".repeat(64) }).toString();

/** The requests by name, with the expected status of each. They come from the address of the example token. */
export const requests = {
  "GET 200": {
    status: 200,
    event: apiEvent({ headers, rawQueryString: "limit=50", queryStringParameters: { limit: "50" } }),
  },
  "POST 201": {
    status: 201,
    event: apiEvent({
      method: "POST",
      routeKey: "POST /api/v1/key",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      // API Gateway passes a form on in this encoding.
      body: Buffer.from(form).toString("base64"),
      isBase64Encoded: true,
    }),
  },
} as const;

export type RequestName = keyof typeof requests;
export const requestNames = Object.keys(requests) as RequestName[];
