import type { ErrorCode } from "../../../../lambdas/errors/catalogue.ts";

/** Why a call with the correct secret was refused, for an admin. The names of the other errors say enough. */
const reasons: Partial<Record<ErrorCode, string>> = {
  token_expired: "The token had ended.",
  token_revoked: "The token had been revoked.",
  ip_not_allowed: "The call came from another address than the one it is allowed from.",
  invitation_used: "The invitation had already become this token.",
  invitation_expired: "Nobody had used the invitation in time.",
  invitation_revoked: "The invitation, or the token that it became, had been revoked.",
  request_rejected: "An admin had rejected this address.",
  too_many_requests: "Confirmation had been requested ten times within 24 hours.",
  move_not_needed: "The client asked to move to the address that the token already has.",
  token_already_rotated: "The token already had a successor.",
  rate_limited: "The token had reached its limit for that minute.",
};

/** The reason for an error code, if there is more to say than its name. */
export const refusalReason = (code: string): string | undefined => byCode.get(code);

const byCode = new Map(Object.entries(reasons));
