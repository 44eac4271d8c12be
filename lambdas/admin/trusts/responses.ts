import * as z from "zod/mini";

/*
 * What the actions on trusted workloads return. The web interface validates responses with these schemas, so this file must not
 * import anything that only runs on a server. Times are RFC 3339, UTC, with milliseconds; null means that it has not happened.
 */

/** A trusted workload: whose JWTs are exchanged for tokens, and under which terms. */
export const trust = z.object({
  trust_id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  comment: z.string(),
  state: z.enum(["active", "ended"]),
  /** How long its tokens live. */
  token_seconds: z.number(),
  /** The one address that the workload calls from; null for any. */
  ip: z.nullable(z.string()),
  /** How many requests per minute its tokens may send together; null if unlimited. */
  rate_limit: z.nullable(z.number()),
  /** When the trust ends, or has ended. */
  expires_at: z.nullable(z.string()),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.nullable(z.string()),
  updated_by: z.nullable(z.string()),
  /** Tokens that were made before this time have ended. */
  tokens_since: z.string(),
  /** Since when the issuer cannot be asked for its keys. */
  unreachable_since: z.nullable(z.string()),
});

export const trustList = z.object({ trusts: z.array(trust) });
