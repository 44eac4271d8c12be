import { optional, text, textOfLength, time, wholeNumber } from "../../dynamodb/formats.ts";
import { changeIndex } from "../../dynamodb/history.ts";
import { table } from "../../dynamodb/table.ts";
import { type AddressRequest, isAddressRequest } from "./address-request.ts";
import { areDismissedAddresses } from "./dismissed-addresses.ts";
import { dynamodbTokenStore } from "./dynamodb-token-store.ts";
import { isCanonicalIp } from "./ip-address.ts";
import { commentLength, limitRange } from "./token-limits.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { isHash, isNonce, isTokenId } from "./token-text.ts";

/** The token of all examples. Nobody has its secret. */
export const exampleToken: TokenRecord = {
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  secret_hash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  ip: "198.51.100.7",
  comment: "billing sync",
  issued_at: "2026-11-21T10:15:30.123Z",
  issued_by: "admin@example.com",
};

/** A request to use it from another address. */
export const exampleRequest: AddressRequest = {
  ip: "203.0.113.50",
  code: "K7P-4XQ",
  requested_at: "2026-11-21T10:15:30.123Z",
  first_at: "2026-11-21T10:15:30.123Z",
  attempts: 1,
};

const tokenId = text({
  description: "the id of a token",
  isValid: isTokenId,
});

const hash = text({ description: "a SHA-256 in base64url", isValid: isHash });

const writtenByUse = ["last_used_at", "repeat_nonce"] as const;

export const tokens = table<TokenRecord, TokenStore>({
  partitionKey: "token_id",
  timeToLive: "delete_at",
  timeOfChange: "changed_at",
  untimed: writtenByUse,
  hasHistory: true,
  fields: {
    token_id: tokenId,
    secret_hash: hash,
    ip: text({ description: "a canonical IP address", isValid: isCanonicalIp }),
    comment: textOfLength(commentLength),
    issued_at: time,
    issued_by: text(),
    changed_at: optional(time),
    expires_at: optional(time),
    end_set_at: optional(time),
    invitation_hash: optional(hash),
    invitation_ends_at: optional(time),
    redeemed_at: optional(time),
    token_expires_at: optional(time),
    repeat_nonce: optional(text({ description: "a random value", isValid: isNonce })),
    request: optional(text({ description: "a JSON request for an address", isValid: isAddressRequest })),
    rate_limit: optional(wholeNumber(limitRange)),
    limit_id: optional(tokenId),
    updated_at: optional(time),
    updated_by: optional(text()),
    dismissed_addresses: optional(
      text({ description: "a JSON list of dismissed addresses", isValid: areDismissedAddresses }),
    ),
    predecessor_id: optional(tokenId),
    rotated_at: optional(time),
    rotated_by: optional(text()),
    successor_id: optional(tokenId),
    revoked_at: optional(time),
    revoked_by: optional(text()),
    last_used_at: optional(time),
  },
  rights: {
    find: ["GetItem"],
    list: ["Scan"],
    insert: ["UpdateItem"],
    update: ["UpdateItem"],
    redeem: ["UpdateItem"],
    request: ["UpdateItem"],
    rotate: ["UpdateItem"],
    revoke: ["UpdateItem"],
    settle: ["UpdateItem"],
    history: ["GetItem"],
    changed: [{ action: "Query", index: changeIndex.name }],
    // Every endpoint's function may do this, so it must not include the right to change anything else about a token.
    recordUse: [{ action: "UpdateItem", attributes: ["token_id", ...writtenByUse] }],
  },
  createStore: dynamodbTokenStore,
  example: exampleToken,
});
