import { type DynamoDBClient, paginateQuery, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { reach } from "../../dynamodb/client.ts";
import { reachIf } from "../../dynamodb/conditional-write.ts";
import { fromItem, type Item } from "../../dynamodb/items.ts";
import { toUsageHour, usageUpdate } from "./usage-item.ts";
import type { Leak, UsageHour, UsageStore } from "./usage-store.ts";

/** In place of a token's id: under it is noted which tokens leaked. */
const leaksSubject = "leaks";

const keptSeconds = 8 * 24 * 60 * 60;

/**
 * Of a token's hour the last so many batches are remembered, or up to twice as many: when `batches` is full it becomes
 * `earlier_batches`, in place of those before it. What comes again comes soon, within minutes.
 */
const rememberedBatches = 64;

/** Two writers may find `batches` full at once; the second one begins again. */
const mostRounds = 2;

const isNew = ["batches", "earlier_batches"]
  .map((known) => `(attribute_not_exists(${known}) OR NOT contains(${known}, :batch))`)
  .join(" AND ");

/**
 * Use of tokens in a DynamoDB table with the partition key `subject`, a token's id, and the sort key `entry`, the hour. The
 * attribute `delete_at` (Unix seconds) is the table's time-to-live, a day longer than anybody may look back.
 */
export const dynamodbUsageStore = (client: DynamoDBClient, table: string): UsageStore => {
  /** Updates an entry and answers what the update took the place of; `undefined` if the condition does not hold. */
  const update = async (
    subject: string,
    entry: string,
    { expression, condition, values }: { expression: string; condition: string; values: Item },
  ): Promise<Item | undefined> => {
    const updated = await reachIf(
      client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { subject: { S: subject }, entry: { S: entry } },
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ReturnValues: "UPDATED_OLD",
        }),
      ),
    );
    return updated && (updated.Attributes ?? {});
  };

  /** The entries of a subject from `since` on. Eventually consistent, for half the price: what is counted is late anyway. */
  const entries = async (subject: string, since: string): Promise<Item[]> => {
    const pages = paginateQuery(
      { client },
      {
        TableName: table,
        KeyConditionExpression: "subject = :subject AND entry >= :since",
        ExpressionAttributeValues: { ":subject": { S: subject }, ":since": { S: since } },
      },
    );
    const read = async () => {
      const items: Item[] = [];
      for await (const { Items = [] } of pages) items.push(...Items);
      return items;
    };
    return reach(read());
  };

  /** Adds a share to what is there, and answers the times that it replaced; `undefined` if it was added before. */
  const addOnce = async (tokenId: string, share: UsageHour, batch: string): Promise<Item | undefined> => {
    const { adds, sets, values } = usageUpdate(share);
    const expression = (added: string[], set: string[]) =>
      `ADD ${added.join(", ")} SET ${[...sets, ...set].join(", ")}`;
    const all = {
      ...values,
      ":batch": { S: batch },
      ":batches": { SS: [batch] },
      ":delete_at": deleteAt(share.hour),
      ":most": { N: String(rememberedBatches) },
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
    for (let round = 0; round < mostRounds; round += 1) {
      const old =
        (await update(tokenId, share.hour, whileThereIsRoom)) ?? (await update(tokenId, share.hour, whenFull));
      if (old) return old;
    }
    return undefined;
  };

  return {
    async add(tokenId, share, batch) {
      const old = await addOnce(tokenId, share, batch);
      if (!old) return;

      // A batch may come after one that is younger.
      const { first_used_at: first, last_used_at: last } = share;
      const before = fromItem<{ first_used_at?: string; last_used_at?: string }>(old, { required: [] });
      if (first !== undefined && before.first_used_at !== undefined && first < before.first_used_at) {
        await update(tokenId, share.hour, {
          expression: "SET first_used_at = :time",
          condition: "first_used_at > :time",
          values: { ":time": { S: first } },
        });
      }
      if (last !== undefined && before.last_used_at !== undefined && last < before.last_used_at) {
        await update(tokenId, share.hour, {
          expression: "SET last_used_at = :time",
          condition: "last_used_at < :time",
          values: { ":time": { S: before.last_used_at } },
        });
      }
    },

    async noteLeak({ token_id, time, source_ip }) {
      await update(leaksSubject, token_id, {
        expression: "SET seen_at = :time, source_ip = :source_ip, delete_at = :delete_at",
        condition: "attribute_not_exists(seen_at) OR seen_at < :time",
        values: { ":time": { S: time }, ":source_ip": { S: source_ip }, ":delete_at": deleteAt(time) },
      });
    },

    async hours(tokenId, since) {
      return (await entries(tokenId, since)).map(toUsageHour);
    },

    async leaks(since) {
      // All ids begin with a digit.
      const leaks = (await entries(leaksSubject, "0")).map(toLeak);
      return leaks.filter(({ time }) => time >= since);
    },
  };
};

const deleteAt = (time: string) => ({ N: String(Math.floor(Date.parse(time) / 1000) + keptSeconds) });

interface LeakItem {
  entry: string;
  seen_at: string;
  source_ip: string;
}

const toLeak = (item: Item): Leak => {
  const { entry, seen_at, source_ip } = fromItem<LeakItem>(item, { required: ["entry", "seen_at", "source_ip"] });
  return { token_id: entry, time: seen_at, source_ip };
};
