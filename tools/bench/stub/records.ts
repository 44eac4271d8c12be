import type { Key } from "../../../lambdas/resources/keys/key-store.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";

/** The contents of the database in every measurement: one token, and keys that differ only in their ids. */

export const sourceIp = "198.51.100.7";

const secret = "0123456789abcdefghijABCDEFGHIJ0123456789xyz";

// Never due for another recording, which would be an additional write every few minutes.
const used = { last_used_at: "2999-01-01T00:00:00.000Z" };

export const storedToken: TokenRecord = {
  ...used,
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: hashSecret(secret),
  ip: sourceIp,
  comment: "billing sync",
  issued_at: "2025-05-05T10:15:30.123Z",
  issued_by: "invoke:6d7e1b0c-1f5a-4a8e-9d4c-0a3b2c1d0e9f",
  expires_at: "2999-01-01T00:00:00.000Z",
};

export const tokenText = formatTokenText({ token_id: storedToken.token_id, secret });

export const storedKeys: Key[] = Array.from({ length: 10_000 }, (_, index) => ({
  key_id: String(1_000_000 + index),
  v_code: `v${index}`.padEnd(64, "0123456789abcdef"),
  created_at: "2025-05-05T10:15:30.123Z",
  updated_at: "2025-05-05T10:15:30.123Z",
}));
