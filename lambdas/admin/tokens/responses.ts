import * as z from "zod/mini";
import { tokenStates } from "../../resources/tokens/token-state.ts";
import { countedLeakAddress, leakAddress, refusal } from "../../resources/usage/refusal.ts";

/*
 * What the actions on tokens return. The web interface validates responses with these schemas, so this file must not import
 * anything that only runs on a server. Times are RFC 3339, UTC, with milliseconds; null means that it has not happened.
 */

/** The invitation with which a token begins. */
const invitation = z.object({
  /** Until when it can be redeemed. */
  expires_at: z.string(),
  /** When it became a token. */
  redeemed_at: z.nullable(z.string()),
});

/** The last request of a client to use the token from an address that no admin has named. */
const addressRequest = z.object({
  /** `move` if the token worked from another address before. */
  for: z.enum(["invitation", "move"]),
  /** The address that the service saw. */
  ip: z.string(),
  /** The client's operator sees the same code. */
  code: z.string(),
  requested_at: z.string(),
  /** When it expires if nobody decides. */
  expires_at: z.string(),
  /** Null if nobody has decided. */
  decision: z.nullable(z.enum(["confirmed", "rejected"])),
  decided_at: z.nullable(z.string()),
  decided_by: z.nullable(z.string()),
});

const dismissedAddress = z.object({ ip: z.string(), dismissed_at: z.string(), dismissed_by: z.string() });

/** A token's record as admins see it: with its state and without the hash of its secret. */
export const token = z.object({
  token_id: z.string(),
  /** The one address that may use the token; null while it is not known. */
  ip: z.nullable(z.string()),
  comment: z.string(),
  state: z.enum(tokenStates),
  issued_at: z.string(),
  issued_by: z.string(),
  /** When the token expires; for an invitation, when the token that it becomes will expire. */
  expires_at: z.nullable(z.string()),
  /** Null for a token that was issued. */
  invitation: z.nullable(invitation),
  /** Kept after it has been decided or has ended. */
  request: z.nullable(addressRequest),
  /** How many requests it may send per minute; null if unlimited. */
  rate_limit: z.nullable(z.number()),
  /** When its comment, expiry, limit or dismissed addresses were last edited. */
  updated_at: z.nullable(z.string()),
  updated_by: z.nullable(z.string()),
  /** Wrong addresses that an admin has recognised, so they no longer signal a leak. Oldest first. */
  dismissed_addresses: z.array(dismissedAddress),
  /** The trusted workload that got it for a JWT; null for any other token. */
  trust_id: z.nullable(z.string()),
  /** The token that this one replaced by a rotation. */
  predecessor_id: z.nullable(z.string()),
  rotated_at: z.nullable(z.string()),
  rotated_by: z.nullable(z.string()),
  /** The token that replaced this one by a rotation. */
  successor_id: z.nullable(z.string()),
  revoked_at: z.nullable(z.string()),
  revoked_by: z.nullable(z.string()),
  /** To within five minutes. */
  last_used_at: z.nullable(z.string()),
});

/** A new token with its text. No other response has the text. */
export const issuedToken = z.extend(token, { token: z.string() });

/** A new invitation with its text. No other response has the text. */
export const invitedToken = z.extend(token, { invitation_text: z.string() });

export const tokenPage = z.object({ tokens: z.array(token), next_cursor: z.nullable(z.string()) });

const usageHour = z.object({
  hour: z.string(),
  /** The number of calls by class of status, such as `2xx`. */
  statuses: z.record(z.string(), z.number()),
  /** The number of calls by error code. */
  codes: z.record(z.string(), z.number()),
  /** The number of calls with the correct secret from a wrong address. */
  leak_signals: z.number(),
});

/** The progress of a rotation. */
const rotation = z.object({
  rotated_at: z.string(),
  successor_id: z.string(),
  successor_first_used_at: z.nullable(z.string()),
  /** The old token has been used since its rotation. */
  used_since: z.boolean(),
});

/** The calls with the correct secret from addresses that are not the token's. */
const leaks = z.object({
  /** Up to 20 per hour, the one that called last first. */
  addresses: z.array(countedLeakAddress),
  /** The number of calls from further addresses. */
  unlisted_calls: z.number(),
});

/** A token's calls, counted from the log. */
export const tokenUsage = z.object({
  token_id: z.string(),
  /** The beginning of the first hour of the period. */
  from: z.string(),
  /** At level `warn` or above, successful calls are not logged. */
  log_level: z.string(),
  /** The hours with calls, in order. */
  hours: z.array(usageHour),
  /** Newest first. */
  refusals: z.array(refusal),
  leaks,
  first_used_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
  /** Null for a token without a successor. */
  rotation: z.nullable(rotation),
});

/** A token whose correct secret came from a wrong address: the last time and the address, and all addresses. */
const leak = z.object({
  token_id: z.string(),
  time: z.string(),
  source_ip: z.string(),
  /** Up to 20. */
  addresses: z.array(leakAddress),
  /** When the secret last came from a further address; null if all are listed. */
  unlisted_at: z.nullable(z.string()),
});

export const leakList = z.object({ leaks: z.array(leak) });

/** An address in the form that a token stores, and the admin's own address. */
export const addressCheck = z.object({ ip: z.nullable(z.string()), seen_ip: z.nullable(z.string()) });
