import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import type { TokenRecord } from "../../domain/tokens/token-store.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { beginningOfHour } from "../../domain/usage/count-lines.ts";
import { addUp, mergeLeakAddresses, type Refusal } from "../../domain/usage/refusal.ts";
import type { UsageHour } from "../../domain/usage/usage-record.ts";
import type { UsageStore } from "../../domain/usage/usage-table.ts";
import { otherError } from "../../shared/errors/api-error.ts";
import { logLevel } from "../../shared/log.ts";
import { queriedNumber } from "../admin-fields.ts";
import { adminContract } from "../contract.ts";
import { tokenOrTrustId } from "./token-fields.ts";

/** How far back admins can look, in hours. Equal to the longest grace period of a rotation. */
export const longestUsageHours = 7 * 24;

const hourMs = 3_600_000;
/** Applied to leaks and other rejections separately, so that other rejections cannot crowd out leaks. */
const maxRefusals = 10;

export const usage = action({
  contract: adminContract.usage,
  summary:
    "Returns the calls of a token, or the rejected exchanges of a trusted workload, hour by hour, the last rejections, the wrong addresses that its correct secret came from, and its first and last use within seven days. Counted from the log, a few seconds later; from log_level warn on, successful calls are not included.",
  uses: { tokens: ["find"], usage: ["hours"] },
  input: z.strictObject({
    token_id: tokenOrTrustId,
    hours: z
      ._default(queriedNumber({ min: 1, max: longestUsageHours }), 24)
      .check(z.meta({ description: "How many hours to look back." })),
  }),
  example: { token_id: exampleToken.token_id },
  async run({ token_id, hours }, { stores }) {
    const now = Date.now();
    const token = await stores.tokens.find(token_id);
    if (!token) throw otherError("token_not_found");
    const all = await stores.usage.hours(token_id, hoursBefore(now, longestUsageHours));

    const from = hoursBefore(now, hours);
    const looked = all.filter(({ hour }) => hour >= from);
    return {
      token_id,
      from,
      log_level: logLevel,
      hours: looked.map(({ hour, statuses, codes, leak_signals }) => ({ hour, statuses, codes, leak_signals })),
      refusals: lastOf(looked.flatMap(({ refusals }) => refusals)),
      leaks: leaksIn(looked),
      ...usedIn(all),
      rotation: await rotationOf(token, usedIn(all).last_used_at, stores.usage),
    };
  },
});

/** Returns the start of the first of the last `hours` hours, including the current hour. */
const hoursBefore = (now: number, hours: number): string =>
  beginningOfHour(new Date(now - (hours - 1) * hourMs).toISOString());

const lastOf = (refusals: Refusal[]): Refusal[] => {
  const newestFirst = refusals.toSorted((one, other) => other.time.localeCompare(one.time));
  const kept = [true, false].flatMap((leak) =>
    newestFirst.filter((refusal) => refusal.leak === leak).slice(0, maxRefusals),
  );
  return newestFirst.filter((refusal) => kept.includes(refusal));
};

const leaksIn = (hours: UsageHour[]) => {
  const named = hours.flatMap(({ leaks }) => leaks);
  const total = hours.reduce((sum, { leak_signals }) => sum + leak_signals, 0);
  return {
    addresses: mergeLeakAddresses([], named, addUp, Number.POSITIVE_INFINITY).toSorted((one, other) =>
      other.last_at.localeCompare(one.last_at),
    ),
    unlisted_calls: total - named.reduce((sum, { calls }) => sum + calls, 0),
  };
};

/** Returns the first and the last use in these hours. */
const usedIn = (hours: UsageHour[]) => ({
  first_used_at: hours.find(({ first_used_at }) => first_used_at)?.first_used_at ?? null,
  last_used_at: hours.findLast(({ last_used_at }) => last_used_at)?.last_used_at ?? null,
});

/**
 * Returns the progress of a rotation: whether the old token has been used since, and when the successor was first used. It also
 * checks the token's record, because the logs may not include successful calls.
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
