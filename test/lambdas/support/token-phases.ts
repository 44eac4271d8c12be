import type { AddressRequest } from "../../../lambdas/resources/tokens/address-request.ts";
import type { Phase } from "../../../lambdas/resources/tokens/token-state.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";
import { absentId, hourMs, inMs, newToken } from "../../../tools/support/tokens.ts";

const requested = (decision: Partial<AddressRequest> = {}): string =>
  JSON.stringify({
    ip: "203.0.113.50",
    code: "K7P-4XQ",
    requested_at: inMs(-1000),
    first_at: inMs(-1000),
    attempts: 1,
    ...decision,
  } satisfies AddressRequest);

const invitation = { invitation_hash: hashSecret("invitation"), expires_at: inMs(hourMs), ip: "::" };
const confirmed = { decision: "confirmed", decided_at: inMs(-500), decided_by: "admin" } as const;

const fieldsIn: Record<Phase, () => Partial<TokenRecord>> = {
  invited: () => invitation,
  awaiting_confirmation: () => ({ ...invitation, request: requested() }),
  active: () => ({}),
  moving: () => ({ request: requested() }),
  move_confirmed: () => ({ request: requested(confirmed) }),
  rotated: () => ({ successor_id: absentId(), expires_at: inMs(hourMs) }),
  replaced: () => ({ successor_id: absentId(), expires_at: inMs(-1) }),
  expired: () => ({ expires_at: inMs(-1) }),
  revoked: () => ({ revoked_at: inMs(-1), revoked_by: "admin" }),
};

/** A new token that is in this phase now. */
export const recordIn = (phase: Phase): TokenRecord => newToken(fieldsIn[phase]()).record;
