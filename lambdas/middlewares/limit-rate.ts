import type { Credential } from "../declaration/endpoint.ts";
import { ApiError } from "../errors/api-error.ts";
import { limitHeaders } from "../resources/limits/limit-headers.ts";
import type { LimitStore } from "../resources/limits/limit-store.ts";
import { minuteOf, secondsToNextMinute } from "../resources/limits/minute.ts";
import type { Caller } from "../resources/tokens/authenticate.ts";
import { invited, isIn, working } from "../resources/tokens/life-cycle.ts";
import type { ApiEvent, Middleware } from "./request.ts";

interface LimitRateOptions {
  limits: LimitStore;
}

/**
 * Enforces the rate limit of a token that has one; other tokens pass without a look-up. If requests cannot be counted,
 * nobody passes: the store's `unavailable` is the response.
 *
 * A count only grows within its minute, so a minute that is used up need not be looked up again: however often a client is
 * refused, each environment of a function asks the database once.
 */
export const limitRate = ({ limits }: LimitRateOptions): Middleware => {
  let minute = "";
  /** The limits that are known to be used up in this minute, by the id of the allowance. */
  const usedUp = new Map<string, number>();

  const take = async (limitId: string, limit: number, current: string): Promise<number | undefined> => {
    if (current !== minute) {
      minute = current;
      usedUp.clear();
    }
    // The limit may have been raised meanwhile, so what counts is the limit that was used up.
    if (limit <= (usedUp.get(limitId) ?? 0)) return undefined;
    const taken = await limits.take(limitId, { minute: current, limit });
    if ((taken ?? limit) >= limit && current === minute) usedUp.set(limitId, limit);
    return taken;
  };

  const enforce = async (limit: number, limitId: string, event: ApiEvent): Promise<void> => {
    const now = Date.now();
    const taken = await take(limitId, limit, minuteOf(now));
    const resetSeconds = secondsToNextMinute(now);
    const remaining = Math.max(0, limit - (taken ?? limit));
    event.answerHeaders = { ...event.answerHeaders, ...limitHeaders({ limit, remaining, resetSeconds }) };
    if (taken === undefined) throw new ApiError("rate_limited", { headers: { "Retry-After": String(resetSeconds) } });
  };

  return {
    before: ({ event }) => {
      const { caller, credential = "token" } = event;
      if (!caller || !works(caller, credential)) return undefined;
      const { token_id, limit_id = token_id, rate_limit } = caller.token;
      return rate_limit === undefined ? undefined : enforce(rate_limit, limit_id, event);
    },
  };
};

/**
 * Whether what was sent works, at its own address. Neither somebody else who has a secret, nor a text that has ended, must use up
 * the client's allowance. A valid token has been verified already.
 */
const works = ({ token, ip }: Caller, credential: Credential): boolean =>
  ip === token.ip &&
  (credential === "token" || isIn(credential === "secret" ? working : invited, token, new Date().toISOString()));
