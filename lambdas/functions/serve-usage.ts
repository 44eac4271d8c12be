import { describeCause, log } from "../log.ts";
import { countLines, type HourlyUsage } from "../resources/usage/count-lines.ts";
import type { CountedLeakAddress, LeakAddress } from "../resources/usage/leak-address.ts";
import { readLogBatch } from "../resources/usage/log-batch.ts";
import { usage as usageTable } from "../resources/usage/usage-table.ts";
import { usageCount } from "../resources/uses.ts";
import { createStores, type StoresOptions } from "./create-stores.ts";

/** Few enough that none of them waits for its turn longer than the client allows. */
const concurrentWrites = 20;

/** A delivery can be repeated, so only the hours, which remember deliveries, can count calls. */
const withoutCalls = ({ calls: _, ...address }: CountedLeakAddress): LeakAddress => address;

/**
 * The Lambda handler of the usage function: counts the log lines that CloudWatch Logs delivers.
 *
 * A delivery that could not be counted completely is a failure, after which Lambda delivers it again; the parts that were
 * counted are recognised and not counted twice.
 */
export const serveUsage = (storesOptions?: StoresOptions) => {
  const { usage } = createStores(usageCount, { usage: usageTable }, storesOptions);

  const count = async ({ tokenId, hour, batch }: HourlyUsage): Promise<void> => {
    await usage.add(tokenId, hour, batch);
    if (hour.leaks.length > 0) await usage.noteLeak(tokenId, hour.leaks.map(withoutCalls));
  };

  return async (event: unknown): Promise<void> => {
    const { hourlyUsage, unread } = countLines(readLogBatch(event));
    if (unread > 0) log("error", { message: "usage_lines_not_read", lines: unread });

    let failures = 0;
    for (let start = 0; start < hourlyUsage.length; start += concurrentWrites) {
      const outcomes = await Promise.allSettled(hourlyUsage.slice(start, start + concurrentWrites).map(count));
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        failures += 1;
        const { cause = outcome.reason } = outcome.reason;
        log("error", { message: "usage_not_counted", cause: describeCause(cause) });
      }
    }
    if (failures > 0) throw new Error(`${failures} of ${hourlyUsage.length} sums were not stored; Lambda tries again.`);
  };
};
