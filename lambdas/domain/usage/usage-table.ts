import { itemsFrom } from "../../dynamodb/items-from.ts";
import type { Item } from "../../dynamodb/records.ts";
import { type Table, table, type Update } from "../../dynamodb/table.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { addToLeak, leakUpdate, noLeak, toLeak } from "./leak-note.ts";
import type { LeakAddress } from "./refusal.ts";
import { readSet } from "./usage-formats.ts";
import { toUsageHour, usageUpdate } from "./usage-hour.ts";
import { type Leak, type UsageHour, type UsageRecord, usageSchema } from "./usage-record.ts";

const key = { partitionKey: "subject", sortKey: "entry" } as const;

/** The subject under which leaks are stored, instead of a token's id. */
const leaksSubject = "leaks";

/** Each refusal means that another writer was faster, and only a few writers run at the same time. */
const maxRounds = 50;

/**
 * Stores the use of tokens in a DynamoDB table: one item for each token and hour, and one for each leaked token. The attribute
 * `delete_at` (Unix seconds) is the table's time-to-live.
 */
const usageStore = (table: Table<UsageRecord>) => {
  /**
   * Updates an item that others may be updating at the same time. `updateFor` returns the update for the known state of the item,
   * or `undefined` if there is nothing to do. DynamoDB rejects the update if the item has a different state.
   */
  const update = async (
    key: Pick<UsageRecord, "subject" | "entry">,
    updateFor: (known: Item | undefined) => Update | undefined,
  ): Promise<void> => {
    let known: Item | undefined;
    for (let round = 0; round < maxRounds; round += 1) {
      const next = updateFor(known);
      if (!next) return;
      const updated = await table.update(key, next);
      if (updated.applied) return;
      known = updated.item;
    }
    throw new ApiError("unavailable", { cause: new Error("Other writers were faster.") });
  };

  return {
    /** Adds what a batch of log lines says about one token in one hour, unless it was already added. `batch` identifies the lines. */
    add: (tokenId: string, hour: UsageHour, batch: string): Promise<void> =>
      update({ subject: tokenId, entry: hour.hour }, (known) => {
        if (!known) return usageUpdate(hour, batch);
        // Throws if the item is damaged. Otherwise, DynamoDB would reject its updates forever.
        toUsageHour(known, table.read(known));
        const isKnown = ["batches", "earlier_batches"].some((name) => readSet(known, name).includes(batch));
        return isKnown ? undefined : usageUpdate(hour, batch, known);
      }),

    /** Records where a leaked token was used from. Idempotent. Returns the listed addresses. */
    async noteLeak(tokenId: string, addresses: readonly LeakAddress[]): Promise<string[]> {
      let leak = noLeak(tokenId);
      await update({ subject: leaksSubject, entry: tokenId }, (known) => {
        const noted = known ? toLeak(known, table.read(known)) : noLeak(tokenId);
        leak = addToLeak(noted, addresses);
        const isNoted = known && JSON.stringify(leak) === JSON.stringify(noted);
        return isNoted ? undefined : leakUpdate(leak, known);
      });
      return leak.addresses.map(({ source_ip }) => source_ip);
    },

    /** Returns a token's hours in order, starting with the hour that begins at `since`. Leaves out hours without calls. */
    async hours(tokenId: string, since: string): Promise<UsageHour[]> {
      const items = await itemsFrom(table, key, { partition: tokenId, from: since });
      return items.map((item) => toUsageHour(item, table.read(item)));
    },

    /** Returns the tokens that leaked at `since` or later, each with the addresses that it has leaked from since then. */
    async leaks(since: string): Promise<Leak[]> {
      // Every token id begins with a digit.
      const items = await itemsFrom(table, key, { partition: leaksSubject, from: "0" });
      return items
        .map((item) => toLeak(item, table.read(item)))
        .filter(({ time }) => time >= since)
        .map((leak) => onlySince(leak, since));
    },
  };
};

export type UsageStore = ReturnType<typeof usageStore>;

const onlySince = ({ unlisted_at = "", addresses, ...leak }: Leak, since: string): Leak => ({
  ...leak,
  addresses: addresses.filter(({ last_at }) => last_at >= since),
  ...(unlisted_at >= since && { unlisted_at }),
});

export const usage = table<UsageRecord, UsageStore>({
  ...key,
  timeToLive: "delete_at",
  schema: usageSchema,
  reads: "strictly",
  rights: {
    add: ["UpdateItem"],
    noteLeak: ["UpdateItem"],
    hours: ["Query"],
    leaks: ["Query"],
  },
  createStore: usageStore,
  example: {
    subject: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    entry: "2026-11-21T10:00:00.000Z",
    first_used_at: "2026-11-21T10:15:30.123Z",
    last_used_at: "2026-11-21T10:45:30.123Z",
  },
});
