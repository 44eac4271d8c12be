import { ApiError } from "../errors/api-error.ts";
import { limitHeaders } from "../resources/limits/limit-headers.ts";
import type { LimitStore } from "../resources/limits/limit-store.ts";
import { minuteOf, secondsToNextMinute } from "../resources/limits/minute.ts";
import type { Middleware, Request } from "./request.ts";

interface LimitRateOptions {
  limits: LimitStore;
}

/**
 * Holds a token that has a limit to it; one that has none passes without a look anywhere. A limit that cannot be counted lets
 * nobody through: the store's `unavailable` is the answer.
 *
 * What has been taken in a minute never becomes less, so a minute that was seen used up is not asked about again: however
 * often a client is refused, each environment of a function asks the database once.
 */
export const limitRate = ({ limits }: LimitRateOptions): Middleware => {
  let minute = "";
  /** The limits that are known to be used up in this minute, by the id of their token. */
  const usedUp = new Map<string, number>();

  const take = async (tokenId: string, limit: number, current: string): Promise<number | undefined> => {
    if (current !== minute) {
      minute = current;
      usedUp.clear();
    }
    // A limit that was raised meanwhile is asked about anew.
    if (limit <= (usedUp.get(tokenId) ?? 0)) return undefined;
    const taken = await limits.take(tokenId, { minute: current, limit });
    if ((taken ?? limit) >= limit && current === minute) usedUp.set(tokenId, limit);
    return taken;
  };

  const holdTo = async (limit: number, tokenId: string, event: Request["event"]): Promise<void> => {
    const now = Date.now();
    const taken = await take(tokenId, limit, minuteOf(now));
    const resetSeconds = secondsToNextMinute(now);
    event.answerHeaders = limitHeaders({ limit, remaining: limit - (taken ?? limit), resetSeconds });
    if (taken === undefined) throw new ApiError("rate_limited", { headers: { "Retry-After": String(resetSeconds) } });
  };

  const holdToLimit = (event: Request["event"]): Promise<void> | undefined => {
    const { token_id, rate_limit } = event.caller?.token ?? {};
    return token_id === undefined || rate_limit === undefined ? undefined : holdTo(rate_limit, token_id, event);
  };

  return {
    before: ({ event }) => {
      if (!event.verdict) return holdToLimit(event);
      // The request goes on beside its token's look-up: whether it is within the limit is part of the same verdict.
      event.verdict = event.verdict.then(() => holdToLimit(event));
      event.verdict.catch(() => {});
      return undefined;
    },
  };
};
