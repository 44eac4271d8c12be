import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { hashSecret, newNonce } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleRequest, exampleToken, exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { absentId, hourMs, inMs } from "../../kit/support/tokens.ts";

/** A record with a value for every field, from all kinds of records. */
export const fullRecord = (): Required<TokenRecord> => {
  const [now, later] = [inMs(0), inMs(hourMs)];
  return {
    ...exampleToken,
    ...exampleTrust,
    token_id: absentId(),
    client: "ACME",
    changed_at: inMs(-hourMs),
    expires_at: later,
    end_set_at: now,
    invitation_hash: hashSecret("x"),
    invitation_ends_at: later,
    redeemed_at: now,
    token_expires_at: later,
    repeat_nonce: newNonce(),
    request: JSON.stringify(exampleRequest),
    rate_limit: 60,
    limit_id: absentId(),
    updated_at: now,
    updated_by: "admin",
    dismissed_addresses: JSON.stringify([{ ip: "203.0.113.9", dismissed_at: now, dismissed_by: "admin" }]),
    predecessor_id: absentId(),
    rotated_at: now,
    rotated_by: "admin",
    successor_id: absentId(),
    revoked_at: now,
    revoked_by: "admin",
    last_used_at: now,
    trust_id: absentId(),
    unreachable_since: now,
  };
};
