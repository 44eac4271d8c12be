import { invalidResponse } from "../../dynamodb/records.ts";
import type { Table, Update } from "../../dynamodb/table.ts";
import { toUsageHour, usageUpdate } from "./usage-item.ts";
import type { Leak, UsageHour, UsageRecord, UsageStore } from "./usage-store.ts";

/** The subject under which leaks are recorded, in place of a token's id. */
const leaksSubject = "leaks";

const keptSeconds = 8 * 24 * 60 * 60;

/**
 * This many batches of a token's hour are remembered, or up to twice as many: when `batches` is full it becomes
 * `earlier_batches` and replaces the one before. A repeated delivery arrives soon, within minutes.
 */
const rememberedBatches = 64;

/** Two writers may find `batches` full at the same time; the second one starts over. */
const maxRounds = 2;

const isNew = ["batches", "earlier_batches"]
  .map((known) => `(attribute_not_exists(${known}) OR NOT contains(${known}, :batch))`)
  .join(" AND ");

/**
 * The use of tokens in a DynamoDB table: one item for each token and hour. The attribute `delete_at` (Unix seconds) is the
 * table's time-to-live, a day longer than anybody can look back.
 */
export const dynamodbUsageStore = (table: Table<UsageRecord>): UsageStore => {
  /** Updates an entry and returns the attributes that it replaced; `undefined` if the condition does not hold. */
  const update = async (
    subject: string,
    entry: string,
    change: Omit<Update, "returns">,
  ): Promise<Partial<UsageRecord> | undefined> => {
    const updated = await table.update({ subject, entry }, { ...change, returns: "UPDATED_OLD" });
    if (!updated.applied) return undefined;
    return table.read({ ...updated.attributes, subject: { S: subject }, entry: { S: entry } });
  };

  /** Adds a token's hour to what is stored and returns the times that it replaced; `undefined` if it was added before. */
  const addOnce = async (
    tokenId: string,
    hour: UsageHour,
    batch: string,
  ): Promise<Partial<UsageRecord> | undefined> => {
    const { adds, sets, values } = usageUpdate(hour);
    const expression = (added: string[], set: string[]) =>
      `ADD ${added.join(", ")} SET ${[...sets, ...set].join(", ")}`;
    const all = {
      ...values,
      batch,
      batches: new Set([batch]),
      delete_at: deleteAt(hour.hour),
      most: rememberedBatches,
    };
    const whileThereIsRoom = {
      expression: expression([...adds, "batches :batches"], ["delete_at = :delete_at"]),
      condition: `${isNew} AND (attribute_not_exists(batches) OR size(batches) < :most)`,
      values: all,
    };
    const whenFull = {
      expression: expression(adds, ["delete_at = :delete_at", "earlier_batches = batches", "batches = :batches"]),
      condition: `${isNew} AND size(batches) >= :most`,
      values: all,
    };
    for (let round = 0; round < maxRounds; round += 1) {
      const replaced =
        (await update(tokenId, hour.hour, whileThereIsRoom)) ?? (await update(tokenId, hour.hour, whenFull));
      if (replaced) return replaced;
    }
    return undefined;
  };

  return {
    async add(tokenId, hour, batch) {
      const before = await addOnce(tokenId, hour, batch);
      if (!before) return;

      // Batches may arrive out of order.
      const { first_used_at: first, last_used_at: last } = hour;
      if (first !== undefined && before.first_used_at !== undefined && first < before.first_used_at) {
        await update(tokenId, hour.hour, {
          expression: "SET first_used_at = :time",
          condition: "first_used_at > :time",
          values: { time: first },
        });
      }
      if (last !== undefined && before.last_used_at !== undefined && last < before.last_used_at) {
        await update(tokenId, hour.hour, {
          expression: "SET last_used_at = :time",
          condition: "last_used_at < :time",
          values: { time: before.last_used_at },
        });
      }
    },

    async noteLeak({ token_id, time, source_ip }) {
      await update(leaksSubject, token_id, {
        expression: "SET seen_at = :time, source_ip = :source_ip, delete_at = :delete_at",
        condition: "attribute_not_exists(seen_at) OR seen_at < :time",
        values: { time, source_ip, delete_at: deleteAt(time) },
      });
    },

    async hours(tokenId, since) {
      const items = await table.query(tokenId, since);
      return items.map((item) => toUsageHour(item, table.read(item)));
    },

    async leaks(since) {
      // Every token id begins with a digit.
      const items = await table.query(leaksSubject, "0");
      return items.map((item) => toLeak(table.read(item))).filter(({ time }) => time >= since);
    },
  };
};

const deleteAt = (time: string): number => Math.floor(Date.parse(time) / 1000) + keptSeconds;

const toLeak = ({ entry, seen_at, source_ip }: UsageRecord): Leak => {
  if (seen_at === undefined || source_ip === undefined) throw invalidResponse("The note of a leak is incomplete.");
  return { token_id: entry, time: seen_at, source_ip };
};
