import type { TokenRecord } from "./token-store.ts";

export const tokenStates = ["active", "expired", "revoked"] as const;

export type TokenState = (typeof tokenStates)[number];

/** The state of a token at a time (RFC 3339, UTC, ms). It never depends on DynamoDB's time-to-live, which deletes late. */
export const tokenState = ({ revoked_at, expires_at }: TokenRecord, now: string): TokenState => {
  if (revoked_at !== undefined) return "revoked";
  return expires_at !== undefined && expires_at <= now ? "expired" : "active";
};
