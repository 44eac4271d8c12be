import * as z from "zod/mini";

/*
 * What the actions on trusted workloads return. The web interface validates responses with these schemas, so this file must not
 * import anything that only runs on a server. All times are RFC 3339 in UTC, with milliseconds. A null time means that the event
 * has not happened.
 */

/** A trusted workload: the identity whose JWTs are exchanged for tokens, and the terms of those tokens. */
export const trust = z.object({
  trust_id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  comment: z.string(),
  /** The client that its tokens belong to. */
  client: z.nullable(z.string()),
  state: z.enum(["active", "ended"]),
  /** The lifetime of its tokens. */
  token_seconds: z.number(),
  /** The only address that the workload may call from; null for any. */
  ip: z.nullable(z.string()),
  /** Maximum requests per minute for all its tokens together; null if unlimited. */
  rate_limit: z.nullable(z.number()),
  /** When the trust ends or ended. */
  expires_at: z.nullable(z.string()),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.nullable(z.string()),
  updated_by: z.nullable(z.string()),
  /** Tokens created before this time have ended. */
  tokens_since: z.string(),
  /** Since when the issuer's keys could not be fetched. */
  unreachable_since: z.nullable(z.string()),
});

export const trustList = z.object({ trusts: z.array(trust) });
