import { createStores, type StoresOptions } from "../domain/create-stores.ts";
import { usageCount } from "../domain/function-uses.ts";
import { notices as noticesTable } from "../domain/notices/notices-table.ts";
import { tokens as tokensTable } from "../domain/tokens/tokens-table.ts";
import { countLines, type HourlyUsage } from "../domain/usage/count-lines.ts";
import type { CountedLeakAddress, LeakAddress } from "../domain/usage/refusal.ts";
import { readLogBatch, type UrgentCall } from "../domain/usage/request-line.ts";
import { usage as usageTable } from "../domain/usage/usage-table.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { connectSenders, type Sender } from "../notices/channels.ts";
import { deliver, requireDelivered } from "../notices/deliver.ts";
import { addImmediateNotices } from "../notices/find-notices.ts";
import { inGroups } from "../notices/in-groups.ts";
import { describeCause, log } from "../shared/log.ts";

/** CloudWatch Logs may repeat a delivery. Only an hour's item can count calls, because it records which deliveries it contains. */
const withoutCalls = ({ calls: _, ...address }: CountedLeakAddress): LeakAddress => address;

/** Identifies a leak by its token and address. */
const placeOf = (tokenId: string, sourceIp: string): string => `${tokenId} ${sourceIp}`;

interface UsageOptions extends StoresOptions {
  senders?: readonly Sender[];
}

/**
 * Creates the Lambda handler of the usage function. It counts the log lines that CloudWatch Logs delivers, and sends urgent
 * notices: leaks, and requests for confirmation.
 *
 * If a delivery cannot be counted completely, the invocation fails, and Lambda delivers it again. Parts that were already counted
 * are recognised, so they are not counted twice. The same applies to notices.
 */
export const serveUsage = ({ senders = connectSenders(), ...storesOptions }: UsageOptions = {}) => {
  const tables = { usage: usageTable, tokens: tokensTable, notices: noticesTable };
  const { usage, tokens, notices } = createStores(usageCount, tables, storesOptions);

  /** Counts a token's calls. Returns its known leaks. */
  const count = async ({ tokenId, hour, batch }: HourlyUsage): Promise<string[]> => {
    await usage.add(tokenId, hour, batch);
    if (hour.leaks.length === 0) return [];
    const addresses = await usage.noteLeak(tokenId, hour.leaks.map(withoutCalls));
    return addresses.map((source_ip) => placeOf(tokenId, source_ip));
  };

  const tell = async (calls: readonly UrgentCall[]): Promise<void> => {
    if (calls.length === 0) return;
    const unsent = await addImmediateNotices(calls, { tokens, notices }, new Date().toISOString());
    requireDelivered(await deliver(unsent, { store: notices, senders }));
  };

  return withinInvocation(async (event: unknown): Promise<void> => {
    const { hourlyUsage, urgentCalls, unread } = countLines(readLogBatch(event));
    const named = new Set<string>();
    if (unread > 0) log("error", { message: "usage_lines_not_read", lines: unread });

    let failures = 0;
    await inGroups(hourlyUsage, async (usage) => {
      try {
        for (const place of await count(usage)) named.add(place);
      } catch (error) {
        failures += 1;
        const { cause = error } = error instanceof Error ? error : {};
        log("error", { message: "usage_not_counted", cause: describeCause(cause) });
      }
    });
    // Addresses that are not listed get no notice, because a secret can be sent from any number of addresses.
    await tell(
      urgentCalls.filter(({ token_id, leak }) => leak === undefined || named.has(placeOf(token_id, leak.source_ip))),
    );
    if (failures > 0) throw new Error(`${failures} of ${hourlyUsage.length} sums were not stored; Lambda tries again.`);
  });
};
