import { usageCount } from "../declaration/stores.ts";
import { describeCause, log } from "../log.ts";
import { countLines, type Share } from "../resources/usage/count-lines.ts";
import { readLogBatch } from "../resources/usage/log-batch.ts";
import { createStores } from "./stores.ts";

/** Each waits for its turn at the database, and none of them for longer than the client lets it. */
const writesAtOnce = 20;

/**
 * The Lambda handler of the usage function: counts the log lines that CloudWatch Logs delivers.
 *
 * A delivery that was not counted whole is a failure, after which Lambda brings it again; what was counted of it is
 * recognised, and not counted twice.
 */
export const serveUsage = () => {
  const { usage } = createStores(usageCount);

  const count = async ({ tokenId, hour, batch }: Share): Promise<void> => {
    await usage.add(tokenId, hour, batch);
    const leak = hour.refusals.findLast((refusal) => refusal.leak);
    if (leak) await usage.noteLeak({ token_id: tokenId, time: leak.time, source_ip: leak.source_ip });
  };

  return async (event: unknown): Promise<void> => {
    const { shares, unread } = countLines(readLogBatch(event));
    if (unread > 0) log("error", { message: "usage_lines_not_read", lines: unread });

    let failures = 0;
    for (let start = 0; start < shares.length; start += writesAtOnce) {
      const outcomes = await Promise.allSettled(shares.slice(start, start + writesAtOnce).map(count));
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        failures += 1;
        const { cause = outcome.reason } = outcome.reason;
        log("error", { message: "usage_not_counted", cause: describeCause(cause) });
      }
    }
    if (failures > 0) throw new Error(`${failures} of ${shares.length} sums were not stored; Lambda tries again.`);
  };
};
