import type { Token } from "../../../../api/types.ts";
import { dayMs } from "../../../../parts/time.ts";
import { isInvited, isRevocable, statusOf } from "../../token/token-status.ts";

/** What can be done to several tokens at once. */
export type SeveralAction = "revoke" | "expiry";

/** A token that the action leaves as it is, and why. */
export interface Skipped {
  token: Token;
  reason: string;
}

export interface Plan {
  tokens: Token[];
  skipped: Skipped[];
  /** How many of the tokens were used in the last seven days. */
  inUseCount: number;
}

const inUseMs = 7 * dayMs;

/** Tells the tokens to which an action applies from those to which it does not. */
export const planFor = (action: SeveralAction, selected: readonly Token[], now: number): Plan => {
  const judged = selected.map((token) => ({ token, reason: reasonToSkip(action, token, now) }));
  const tokens = judged.flatMap(({ token, reason }) => (reason === undefined ? [token] : []));
  return {
    tokens,
    skipped: judged.flatMap(({ token, reason }) => (reason === undefined ? [] : [{ token, reason }])),
    inUseCount: tokens.filter(({ last_used_at }) => last_used_at !== null && now - Date.parse(last_used_at) < inUseMs)
      .length,
  };
};

const reasonToSkip = (action: SeveralAction, token: Token, now: number): string | undefined => {
  const status = statusOf(token, now);
  if (!isRevocable(status)) return status === "revoked" ? "It was revoked." : "It has expired.";
  if (action === "expiry" && isInvited(status)) return "Its invitation has not been redeemed yet.";
  if (action === "expiry" && status === "rotated") return "It was rotated: its grace period decides when it ends.";
  return undefined;
};
