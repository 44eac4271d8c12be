import { requestMinutes } from "../../../../lambdas/resources/tokens/token-limits.ts";
import type { ConfirmationRequest, Token } from "../../../api/types.ts";

export const tokenStatuses = [
  "active",
  "rotated",
  "invited",
  "awaiting_confirmation",
  "moved",
  "expired",
  "revoked",
] as const;

/** The state of a token, where an active one that has a successor counts as rotated, and one that ended with a move as moved. */
export type TokenStatus = (typeof tokenStatuses)[number];

/** The status at a time: a token, its invitation or a request may have expired since it was loaded. */
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

/** Whether the token does not exist yet, but its invitation can be redeemed. */
export const isInvited = (status: TokenStatus): boolean => status === "invited" || status === "awaiting_confirmation";

/** Whether there is something that a revocation would end. */
export const isRevocable = (status: TokenStatus): boolean => isLive(status) || isInvited(status);

/** Whether there was never a token, because the client has not redeemed its invitation. */
export const isUnredeemed = ({ invitation }: Token): boolean => invitation !== null && invitation.redeemed_at === null;

/** When a token ends; null if never; `undefined` if it was revoked, or its invitation ended before it was redeemed. */
export const expiryOf = (token: Token, now: number): string | null | undefined => {
  const status = statusOf(token, now);
  const isNone = status === "revoked" || (status === "expired" && isUnredeemed(token));
  return isNone ? undefined : token.expires_at;
};

/** The request that an admin can confirm or reject now, if there is one. */
export const pendingRequest = (token: Token, now: number): ConfirmationRequest | undefined => {
  const { request } = token;
  const expected: TokenStatus = request?.for === "move" ? "active" : "awaiting_confirmation";
  return request !== null && isUndecided(request, now) && statusOf(token, now) === expected ? request : undefined;
};

/** The confirmed move that the client can complete now, and until when, if there is one. */
export const confirmedMove = (token: Token, now: number): { ip: string; until: string } | undefined => {
  const { request } = token;
  if (request?.for !== "move" || request.decision !== "confirmed" || request.decided_at === null) return undefined;
  const until = new Date(Date.parse(request.decided_at) + requestMinutes * 60_000).toISOString();
  return statusOf(token, now) === "active" && !hasPassed(until, now) ? { ip: request.ip, until } : undefined;
};

/** Whether the token has ended because its client has moved to the address that an admin confirmed. */
export const hasMoved = ({ token_id, rotated_by, request }: Token): boolean =>
  request !== null && request.for === "move" && rotated_by === `token:${token_id}:${request.ip}`;

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
