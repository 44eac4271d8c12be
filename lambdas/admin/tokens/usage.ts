import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { logLevel } from "../../log.ts";
import type { TokenRecord } from "../../resources/tokens/token-store.ts";
import { beginningOfHour } from "../../resources/usage/count-lines.ts";
import type { Refusal, UsageHour, UsageStore } from "../../resources/usage/usage-store.ts";
import { queriedNumber } from "../fields.ts";
import { tokenId } from "./fields.ts";

/** How far anybody may look back: as long as the longest grace of a rotation. */
export const longestUsageHours = 7 * 24;

const hourMs = 3_600_000;
/** Of leaks, and of other refusals, which must not push leaks out. */
const mostRefusals = 10;

export const usage = action({
  route: "GET /tokens/{token_id}/usage",
  summary:
    "Answers what became of a token's calls, hour by hour, its last refusals and its first and last use within seven days. Counted from the log, seconds later; from log_level warn on, calls that went well are not in it.",
  uses: { tokens: ["find"], usage: ["hours"] },
  input: z.strictObject({
    token_id: tokenId,
    hours: z._default(queriedNumber({ min: 1, max: longestUsageHours }), 24),
  }),
  async run({ token_id, hours }, { stores }) {
    const now = Date.now();
    const token = await stores.tokens.find(token_id);
    if (!token) throw new ApiError("token_not_found");
    const all = await stores.usage.hours(token_id, hoursBefore(now, longestUsageHours));

    const from = hoursBefore(now, hours);
    const looked = all.filter(({ hour }) => hour >= from);
    return {
      token_id,
      from,
      log_level: logLevel,
      hours: looked.map(({ hour, statuses, codes, leak_signals }) => ({ hour, statuses, codes, leak_signals })),
      refusals: lastOf(looked.flatMap(({ refusals }) => refusals)),
      ...usedIn(all),
      rotation: await rotationOf(token, usedIn(all).last_used_at, stores.usage),
    };
  },
});

/** The beginning of the first of so many hours, of which the present one is the last. */
const hoursBefore = (now: number, hours: number): string =>
  beginningOfHour(new Date(now - (hours - 1) * hourMs).toISOString());

const lastOf = (refusals: Refusal[]): Refusal[] => {
  const newestFirst = refusals.toSorted((one, other) => other.time.localeCompare(one.time));
  const kept = [true, false].flatMap((leak) =>
    newestFirst.filter((refusal) => refusal.leak === leak).slice(0, mostRefusals),
  );
  return newestFirst.filter((refusal) => kept.includes(refusal));
};

/** The first and the last use in these hours. */
const usedIn = (hours: UsageHour[]) => ({
  first_used_at: hours.find(({ first_used_at }) => first_used_at)?.first_used_at ?? null,
  last_used_at: hours.findLast(({ last_used_at }) => last_used_at)?.last_used_at ?? null,
});

/**
 * How far a rotation has come: whether the old token was used since, and when the successor was used for the first time. The
 * token's own record has the use that a log without the lines of good calls does not.
 */
const rotationOf = async (
  { rotated_at, successor_id, last_used_at: recorded }: TokenRecord,
  last_used_at: string | null,
  usage: Pick<UsageStore, "hours">,
) => {
  if (rotated_at === undefined || successor_id === undefined) return null;
  const successor = usedIn(await usage.hours(successor_id, beginningOfHour(rotated_at)));
  return {
    rotated_at,
    successor_id,
    successor_first_used_at: successor.first_used_at,
    used_since: [last_used_at, recorded].some((time) => time && time > rotated_at),
  };
};
