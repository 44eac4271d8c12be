import * as z from "zod/mini";
import { tokenStates } from "../../domain/tokens/token-state.ts";
import { countedLeakAddress, leakAddress, refusal } from "../../domain/usage/refusal.ts";

/*
 * What the token actions return. The web interface validates responses with these schemas, so this file must not import anything
 * that only runs on a server. All times are RFC 3339 in UTC, with milliseconds. A null time means that the event has not happened.
 */

/** The invitation that the token was created with. */
const invitation = z.object({
  /** The time until which it can be redeemed. */
  expires_at: z.string(),
  /** When it was exchanged for a token. */
  redeemed_at: z.nullable(z.string()),
});

/** The client's last request to use the token from an address that no admin has set. */
const addressRequest = z.object({
  /** `move` if the token was already used from another address. */
  for: z.enum(["invitation", "move"]),
  /** The address from which the service received the request. */
  ip: z.string(),
  /** The client's operator sees the same code. */
  code: z.string(),
  requested_at: z.string(),
  /** When it expires without a decision. */
  expires_at: z.string(),
  /** Null until an admin decides. */
  decision: z.nullable(z.enum(["confirmed", "rejected"])),
  decided_at: z.nullable(z.string()),
  decided_by: z.nullable(z.string()),
});

const dismissedAddress = z.object({ ip: z.string(), dismissed_at: z.string(), dismissed_by: z.string() });

/** A token's record as admins see it: with its state, without the hash of its secret. */
export const token = z.object({
  token_id: z.string(),
  /** The only address that may use the token; null until it is known. */
  ip: z.nullable(z.string()),
  comment: z.string(),
  /** The client that the token belongs to. It never changes. */
  client: z.nullable(z.string()),
  state: z.enum(tokenStates),
  issued_at: z.string(),
  issued_by: z.string(),
  /** When the token expires. For an invitation: when the resulting token will expire. */
  expires_at: z.nullable(z.string()),
  /** Null for a token that was issued directly. */
  invitation: z.nullable(invitation),
  /** Kept after the request has been decided or has ended. */
  request: z.nullable(addressRequest),
  /** Maximum requests per minute; null if unlimited. */
  rate_limit: z.nullable(z.number()),
  /** When its comment, expiry, rate limit or dismissed addresses were last edited. */
  updated_at: z.nullable(z.string()),
  updated_by: z.nullable(z.string()),
  /** Wrong addresses that an admin has recognised, so that they no longer count as a leak. Oldest first. */
  dismissed_addresses: z.array(dismissedAddress),
  /** The trusted workload that got this token for a JWT; null for other tokens. */
  trust_id: z.nullable(z.string()),
  /** The token that this token replaced in a rotation. */
  predecessor_id: z.nullable(z.string()),
  rotated_at: z.nullable(z.string()),
  rotated_by: z.nullable(z.string()),
  /** The token that replaced this token in a rotation. */
  successor_id: z.nullable(z.string()),
  revoked_at: z.nullable(z.string()),
  revoked_by: z.nullable(z.string()),
  /** Accurate to five minutes. */
  last_used_at: z.nullable(z.string()),
});

/** A new token with its value. No other response contains the value. */
export const issuedToken = z.extend(token, { token: z.string() });

/** A new invitation with its value. No other response contains the value. */
export const invitedToken = z.extend(token, { invitation_text: z.string() });

export const tokenPage = z.object({ tokens: z.array(token), next_cursor: z.nullable(z.string()) });

const usageHour = z.object({
  hour: z.string(),
  /** The number of calls per status class, such as `2xx`. */
  statuses: z.record(z.string(), z.number()),
  /** The number of calls per error code. */
  codes: z.record(z.string(), z.number()),
  /** The number of calls that sent the correct secret from a wrong address. */
  leak_signals: z.number(),
});

/** The progress of a rotation. */
const rotation = z.object({
  rotated_at: z.string(),
  successor_id: z.string(),
  successor_first_used_at: z.nullable(z.string()),
  /** Whether the old token has been used since its rotation. */
  used_since: z.boolean(),
});

/** Calls that sent the correct secret from a wrong address. */
const leaks = z.object({
  /** Up to 20 per hour, most recent call first. */
  addresses: z.array(countedLeakAddress),
  /** The number of calls from addresses that are not listed. */
  unlisted_calls: z.number(),
});

/** A token's calls, counted from the logs. */
export const tokenUsage = z.object({
  token_id: z.string(),
  /** The start of the first hour of the period. */
  from: z.string(),
  /** At log level `warn` or above, successful calls are not logged. */
  log_level: z.string(),
  /** The hours that have calls, in chronological order. */
  hours: z.array(usageHour),
  /** Newest first. */
  refusals: z.array(refusal),
  leaks,
  first_used_at: z.nullable(z.string()),
  last_used_at: z.nullable(z.string()),
  /** Null for a token without a successor. */
  rotation: z.nullable(rotation),
});

/**
 * A token whose correct secret was sent from wrong addresses. Has the time and address of the last such call, and all addresses.
 */
const leak = z.object({
  token_id: z.string(),
  time: z.string(),
  source_ip: z.string(),
  /** Up to 20. */
  addresses: z.array(leakAddress),
  /** When the secret was last sent from an address that is not listed; null if all are listed. */
  unlisted_at: z.nullable(z.string()),
});

export const leakList = z.object({ leaks: z.array(leak) });

/** An address in the form in which tokens store it, and the admin's own address. */
export const addressCheck = z.object({ ip: z.nullable(z.string()), seen_ip: z.nullable(z.string()) });
