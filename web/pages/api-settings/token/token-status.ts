import type { Token } from "../../../api/types.ts";

export const tokenStatuses = ["active", "rotated", "expired", "revoked"] as const;

/** The state of a token, where an active token that has a successor counts as rotated. */
export type TokenStatus = (typeof tokenStatuses)[number];

/** The status at a time: a token may have expired since it was loaded. */
export const statusOf = ({ state, expires_at, successor_id }: Token, now: number): TokenStatus => {
  if (state !== "active") return state;
  if (expires_at !== null && Date.parse(expires_at) <= now) return "expired";
  return successor_id === null ? "active" : "rotated";
};

/** Whether the API accepts the token. */
export const isLive = (status: TokenStatus): boolean => status === "active" || status === "rotated";

export const statusNames: Record<TokenStatus, string> = {
  active: "Active",
  rotated: "Rotated",
  expired: "Expired",
  revoked: "Revoked",
};
