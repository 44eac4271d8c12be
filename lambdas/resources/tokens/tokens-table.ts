import { table } from "../../dynamodb/table.ts";
import { dynamodbTokenStore } from "./dynamodb-token-store.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";

/** The token of all examples. Nobody has its secret. */
export const exampleToken: TokenRecord = {
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  ip: "198.51.100.7",
  comment: "billing sync",
  issued_at: "2026-11-21T10:15:30.123Z",
  issued_by: "admin@example.com",
};

export const tokens = table<TokenRecord, TokenStore>({
  partitionKey: "token_id",
  timeToLive: "delete_at",
  fields: {
    token_id: "text",
    secret_hash: "text",
    ip: "text",
    comment: "text",
    issued_at: "time",
    issued_by: "text",
    expires_at: "time?",
    rate_limit: "number?",
    updated_at: "time?",
    updated_by: "text?",
    predecessor_id: "text?",
    rotated_at: "time?",
    rotated_by: "text?",
    successor_id: "text?",
    revoked_at: "time?",
    revoked_by: "text?",
    last_used_at: "time?",
  },
  rights: {
    find: ["GetItem"],
    list: ["Scan"],
    insert: ["PutItem"],
    update: ["UpdateItem"],
    rotate: ["UpdateItem"],
    revoke: ["UpdateItem"],
    // Every endpoint's function may do this, so it must not include the right to change anything else about a token.
    recordUse: [{ action: "UpdateItem", attributes: ["token_id", "last_used_at"] }],
  },
  createStore: dynamodbTokenStore,
  example: exampleToken,
});
