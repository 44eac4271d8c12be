/** How much of a token's limit is left when a request is answered. */
export interface LimitStatus {
  limit: number;
  remaining: number;
  /** Until the whole limit is available again. */
  resetSeconds: number;
}

/** The name of the only policy. */
const policy = '"token"';

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11, structured fields (RFC 9651): what a client may send, and what is left.
 *
 * @example limitHeaders({ limit: 600, remaining: 598, resetSeconds: 42 })
 * // { "RateLimit-Policy": '"token";q=600;w=60', RateLimit: '"token";r=598;t=42' }
 */
export const limitHeaders = ({ limit, remaining, resetSeconds }: LimitStatus) => ({
  "RateLimit-Policy": `${policy};q=${limit};w=60`,
  RateLimit: `${policy};r=${remaining};t=${resetSeconds}`,
});
