import type { Token } from "../../../api/types.ts";
import { dayMs } from "../../../parts/time.ts";
import { isLive, isRevocable, statusOf } from "../token/token-status.ts";
import { type Leaks, warnedLeak } from "./warned-leaks.ts";

export const attentions = ["expiring", "leaked", "rotation", "unused"] as const;

/** A reason why a token needs an admin's attention. */
export type Attention = (typeof attentions)[number];

/** The name of each filter. A phone shows only the beginning. */
export const attentionNames: Record<Attention, { short: string; rest: string }> = {
  expiring: { short: "Expiring", rest: "within 30 days" },
  leaked: { short: "Leaked", rest: "" },
  rotation: { short: "Rotation", rest: "unfinished" },
  unused: { short: "Unused", rest: "for 90 days" },
};

const expiringMs = 30 * dayMs;
const unusedMs = 90 * dayMs;

interface Circumstances {
  now: number;
  /** `undefined` until they are loaded. */
  leaks: Leaks | undefined;
}

/** Whether a token needs attention for this reason. A token that has ended needs none, and an invitation only if it has leaked. */
export const needsAttention = (token: Token, attention: Attention, { now, leaks }: Circumstances): boolean => {
  const status = statusOf(token, now);
  if (attention === "leaked") return isRevocable(status) && warnedLeak(leaks, token) !== undefined;
  if (!isLive(status)) return false;
  switch (attention) {
    case "expiring":
      return status === "active" && token.expires_at !== null && Date.parse(token.expires_at) - now <= expiringMs;
    case "rotation":
      return status === "rotated";
    case "unused":
      return now - Date.parse(token.last_used_at ?? token.issued_at) > unusedMs;
  }
};

/** How many tokens need attention for each reason; `undefined` while that is not known. */
export const attentionCounts = (
  tokens: readonly Token[],
  circumstances: Circumstances,
): Record<Attention, number | undefined> => {
  const count = (attention: Attention) =>
    tokens.filter((token) => needsAttention(token, attention, circumstances)).length;
  return {
    expiring: count("expiring"),
    leaked: circumstances.leaks && count("leaked"),
    rotation: count("rotation"),
    unused: count("unused"),
  };
};
