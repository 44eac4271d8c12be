import { requestMinutes } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Rotation, Token, Usage } from "../../../api/types.ts";

export const tokenStatuses = [
  "active",
  "rotated",
  "invited",
  "awaiting_confirmation",
  "moved",
  "expired",
  "revoked",
] as const;

/** The state of a token. An active token with a successor is `rotated`, and a token that ended with a move is `moved`. */
export type TokenStatus = (typeof tokenStatuses)[number];

/** Returns the status at a time. A token, invitation or request may have expired since it was loaded. */
export const statusOf = (token: Token, now: number): TokenStatus => {
  const { state, expires_at, invitation, request, successor_id } = token;
  switch (state) {
    case "active":
      if (hasPassed(expires_at, now)) return hasMoved(token) ? "moved" : "expired";
      return successor_id === null ? "active" : "rotated";
    case "invited":
    case "awaiting_confirmation":
      if (invitation !== null && hasPassed(invitation.expires_at, now)) return "expired";
      return isUndecided(request, now) ? "awaiting_confirmation" : "invited";
    case "expired":
      return hasMoved(token) ? "moved" : "expired";
    case "revoked":
      return "revoked";
  }
};

/** Whether the API accepts the token. */
export const isLive = (status: TokenStatus): boolean => status === "active" || status === "rotated";

/** Whether the token doesn't exist yet but its invitation can still be redeemed. */
export const isInvited = (status: TokenStatus): boolean => status === "invited" || status === "awaiting_confirmation";

/** Whether there is anything to revoke. */
export const isRevocable = (status: TokenStatus): boolean => isLive(status) || isInvited(status);

/** Whether the client never redeemed its invitation, so that no token exists. */
export const isUnredeemed = ({ invitation }: Token): boolean => invitation !== null && invitation.redeemed_at === null;

/** Returns when a token ends. Null means never. `undefined` means that it was revoked, or that its invitation ended unredeemed. */
export const expiryOf = (token: Token, now: number): string | null | undefined => {
  const status = statusOf(token, now);
  const isNone = status === "revoked" || (status === "expired" && isUnredeemed(token));
  return isNone ? undefined : token.expires_at;
};

/** Returns the request that an admin can confirm or reject now, if there is one. */
export const pendingRequest = (token: Token, now: number): ConfirmationRequest | undefined => {
  const { request } = token;
  const expected: TokenStatus = request?.for === "move" ? "active" : "awaiting_confirmation";
  return request !== null && isUndecided(request, now) && statusOf(token, now) === expected ? request : undefined;
};

/** Returns the confirmed move that the client can complete now, with its deadline, if there is one. */
export const confirmedMove = (token: Token, now: number): { ip: string; until: string } | undefined => {
  const { request } = token;
  if (request?.for !== "move" || request.decision !== "confirmed" || request.decided_at === null) return undefined;
  const until = new Date(Date.parse(request.decided_at) + requestMinutes * 60_000).toISOString();
  return statusOf(token, now) === "active" && !hasPassed(until, now) ? { ip: request.ip, until } : undefined;
};

/** Whether the token ended because its client moved to a confirmed address. */
export const hasMoved = ({ token_id, rotated_by, request }: Token): boolean =>
  request !== null && request.for === "move" && rotated_by === `token:${token_id}:${request.ip}`;

/** How far the client of a rotated token has switched over. */
export type RotationProgress = "old-in-use" | "new-unused" | "unknown" | "changed";

/** With log_level `warn` or above, successful calls aren't counted, so a successor without counted calls may still be in use. */
export const rotationProgress = (
  { log_level }: Pick<Usage, "log_level">,
  { used_since, successor_first_used_at }: Rotation,
): RotationProgress => {
  if (used_since) return "old-in-use";
  if (successor_first_used_at !== null) return "changed";
  return log_level === "info" ? "new-unused" : "unknown";
};

export const statusNames: Record<TokenStatus, string> = {
  active: "Active",
  rotated: "Rotated",
  invited: "Invited",
  awaiting_confirmation: "Awaiting confirmation",
  moved: "Moved",
  expired: "Expired",
  revoked: "Revoked",
};

const isUndecided = (request: ConfirmationRequest | null, now: number): boolean =>
  request !== null && request.decision === null && !hasPassed(request.expires_at, now);

const hasPassed = (time: string | null, now: number): boolean => time !== null && Date.parse(time) <= now;
