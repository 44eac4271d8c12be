import type { Credential } from "../declaration/endpoint.ts";
import type { LimitStore } from "../domain/limits/limits-table.ts";
import type { Caller } from "../domain/tokens/authenticate.ts";
import { invited, isIn, working } from "../domain/tokens/life-cycle.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import type { ResponseHeaders } from "./add-headers.ts";
import { type Middleware, type Request, refuseUnknown } from "./request.ts";
import type { Verified } from "./verify-token.ts";

interface LimitRateOptions {
  limits: LimitStore;
  /** The credential that the endpoint requires. */
  credential: Credential;
}

/**
 * Enforces the rate limit of tokens that have one; other tokens pass without a lookup. If requests cannot be counted, all of them
 * fail with the store's `unavailable`.
 *
 * Within a minute, a count only grows, so a minute that is used up needs no further lookup. However often a client is rejected,
 * each environment of a function asks the database only once in that minute.
 *
 * @example chain.use(verifyToken({ tokens, realm: "Shop" })).use(limitRate({ limits, credential: "token" }))
 */
export const limitRate = ({
  limits,
  credential,
  ...unknown
}: LimitRateOptions): Middleware<Verified & ResponseHeaders> => {
  refuseUnknown("limitRate", unknown);
  let minute = "";
  /** The limits that are known to be used up in this minute, by the id of the allowance. */
  const usedUp = new Map<string, number>();

  const take = async (limitId: string, limit: number, current: string): Promise<number | undefined> => {
    if (current !== minute) {
      minute = current;
      usedUp.clear();
    }
    // Compares with the limit that was used up, because an admin may have raised the limit since.
    if (limit <= (usedUp.get(limitId) ?? 0)) return undefined;
    const taken = await limits.take(limitId, { minute: current, limit });
    if ((taken ?? limit) >= limit && current === minute) usedUp.set(limitId, limit);
    return taken;
  };

  const enforce = async (limit: number, limitId: string, event: ResponseHeaders): Promise<void> => {
    const now = Date.now();
    const taken = await take(limitId, limit, minuteOf(now));
    const resetSeconds = secondsToNextMinute(now);
    const remaining = Math.max(0, limit - (taken ?? limit));
    // Structured fields (RFC 9651) as in draft-ietf-httpapi-ratelimit-headers-11. There is only one policy.
    Object.assign(event.responseHeaders, {
      "RateLimit-Policy": `"token";q=${limit};w=60`,
      RateLimit: `"token";r=${remaining};t=${resetSeconds}`,
    });
    if (taken === undefined) throw new ApiError("rate_limited", { headers: { "Retry-After": String(resetSeconds) } });
  };

  const countRequest = ({ event }: Request<Verified & ResponseHeaders>): Promise<void> | undefined => {
    const { token_id, limit_id = token_id, rate_limit } = event.caller.token;
    if (rate_limit === undefined || !works(event.caller, credential)) return undefined;
    return enforce(rate_limit, limit_id, event);
  };
  return { before: countRequest };
};

/**
 * Checks whether the credential works and comes from its own address. Expired or revoked credentials, and other people who have the
 * secret, must not use up the client's allowance. Valid tokens have already been verified.
 */
const works = ({ token, ip }: Caller, credential: Credential): boolean =>
  ip === token.ip &&
  (credential === "token" || isIn(credential === "secret" ? working : invited, token, new Date().toISOString()));

const minuteMilliseconds = 60_000;

/** Returns the clock minute that contains a time (Unix milliseconds): `2026-11-21T10:15Z`. */
export const minuteOf = (now: number): string => `${new Date(now).toISOString().slice(0, 16)}Z`;

/** Returns the whole seconds from a time (Unix milliseconds) until the start of the next minute: 1 to 60. */
export const secondsToNextMinute = (now: number): number =>
  Math.ceil((minuteMilliseconds - (now % minuteMilliseconds)) / 1000);
