import { changeIndex } from "../../dynamodb/change-history.ts";
import { changeIndexName, table } from "../../dynamodb/table.ts";
import type { AddressRequest } from "./address-request.ts";
import { dynamodbTokenStore } from "./dynamodb-token-store.ts";
import { unknownIp } from "./ip-address.ts";
import { type TokenRecord, type TokenStore, tokenSchema } from "./token-store.ts";
import { issuerIndex, issuerIndexName, localIssuer, noSecretHash, type Trust } from "./trust.ts";

/** The token in all examples. Nobody has its secret. */
export const exampleToken: TokenRecord = {
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  ip: "198.51.100.7",
  comment: "billing sync",
  issued_at: "2026-11-21T10:15:30.123Z",
  changed_at: "2026-11-21T10:15:30.123Z",
  issued_by: "admin@example.com",
};

/** A request to use the example token from another address. */
export const exampleRequest: AddressRequest = {
  ip: "203.0.113.50",
  code: "K7P-4XQ",
  requested_at: "2026-11-21T10:15:30.123Z",
  first_at: "2026-11-21T10:15:30.123Z",
  attempts: 1,
};

const writtenByUse = ["last_used_at", "repeat_nonce"] as const;

/** The trust in all examples. Its issuer is the one of local runs. */
export const exampleTrust: Trust = {
  token_id: "00000000005DD7RGEQWX70QSCJ",
  secret_hash: noSecretHash,
  ip: unknownIp,
  comment: "deployment of the shop",
  issued_at: "2026-11-21T10:15:30.123Z",
  changed_at: "2026-11-21T10:15:30.123Z",
  issued_by: "admin@example.com",
  trusted_at: "2026-11-21T10:15:30.123Z",
  issuer: localIssuer,
  subject: "repo:acme/shop:ref:refs/heads/main",
  token_seconds: 900,
};

export const tokens = table<TokenRecord, TokenStore>({
  partitionKey: "token_id",
  timeToLive: "delete_at",
  timeOfChange: "changed_at",
  hasHistory: true,
  indexes: { ...changeIndex("changed_at"), [issuerIndexName]: issuerIndex },
  schema: tokenSchema,
  reads: "strictly",
  rights: {
    find: ["GetItem"],
    list: ["Scan"],
    insert: ["UpdateItem"],
    exchange: ["UpdateItem"],
    trustsIssuer: [{ action: "Query", index: issuerIndexName }],
    trust: ["UpdateItem"],
    changeTrust: ["UpdateItem"],
    noteIssuer: ["UpdateItem"],
    update: ["UpdateItem"],
    redeem: ["UpdateItem"],
    request: ["UpdateItem"],
    rotate: ["UpdateItem"],
    revoke: ["UpdateItem"],
    settle: ["UpdateItem"],
    history: ["GetItem"],
    changed: [{ action: "Query", index: changeIndexName }],
    // Every endpoint's function needs this right, so it must not allow changing anything else about a token.
    recordUse: [{ action: "UpdateItem", attributes: ["token_id", ...writtenByUse] }],
  },
  createStore: dynamodbTokenStore,
  example: exampleToken,
});
