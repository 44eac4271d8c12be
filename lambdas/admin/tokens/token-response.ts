import type * as z from "zod/mini";
import { endOfRequest, requestIn } from "../../domain/tokens/address-request.ts";
import { dismissedIn } from "../../domain/tokens/dismissed-addresses.ts";
import { unknownIp } from "../../domain/tokens/ip-address.ts";
import { isUnredeemed, tokenState } from "../../domain/tokens/life-cycle.ts";
import type { TokenRecord } from "../../domain/tokens/token-store.ts";
import type { token } from "./token-schemas.ts";

/** Returns a token's record as admins see it. */
export const tokenResponse = (record: TokenRecord): z.output<typeof token> => ({
  token_id: record.token_id,
  ip: record.ip === unknownIp ? null : record.ip,
  comment: record.comment,
  client: record.client ?? null,
  state: tokenState(record, new Date().toISOString()),
  issued_at: record.issued_at,
  issued_by: record.issued_by,
  expires_at: (isUnredeemed(record) ? record.token_expires_at : record.expires_at) ?? null,
  invitation: invitationOf(record),
  request: requestOf(record),
  rate_limit: record.rate_limit ?? null,
  updated_at: record.updated_at ?? null,
  updated_by: record.updated_by ?? null,
  dismissed_addresses: dismissedIn(record),
  trust_id: record.trust_id ?? null,
  predecessor_id: record.predecessor_id ?? null,
  rotated_at: record.rotated_at ?? null,
  rotated_by: record.rotated_by ?? null,
  successor_id: record.successor_id ?? null,
  revoked_at: record.revoked_at ?? null,
  revoked_by: record.revoked_by ?? null,
  last_used_at: record.last_used_at ?? null,
});

const invitationOf = ({ invitation_ends_at, redeemed_at }: TokenRecord) =>
  invitation_ends_at === undefined ? null : { expires_at: invitation_ends_at, redeemed_at: redeemed_at ?? null };

const requestOf = (record: TokenRecord) => {
  const request = requestIn(record);
  if (!request) return null;
  const { ip, code, requested_at, decision = null, decided_at = null, decided_by = null } = request;
  // An invitation is bound to the address that was confirmed. A move always leads to a different address.
  const isForInvitation = isUnredeemed(record) || record.ip === ip;
  return {
    for: isForInvitation ? ("invitation" as const) : ("move" as const),
    ip,
    code,
    requested_at,
    expires_at: endOfRequest(request),
    decision,
    decided_at,
    decided_by,
  };
};
