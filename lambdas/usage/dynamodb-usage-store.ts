import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  paginateQuery,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { reach } from "../dynamodb/client.ts";
import { fromItem, type Item } from "../dynamodb/items.ts";
import { toUsageHour, usageUpdate } from "./usage-item.ts";
import type { Leak, UsageStore } from "./usage-store.ts";

/** In place of a token's id: under it is noted which tokens leaked. */
const leaksSubject = "leaks";

const keptSeconds = 8 * 24 * 60 * 60;

/** So many batches of a token's hour are remembered. One that comes twice after as many others adds little to the sum. */
const rememberedBatches = 64;

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
    try {
      const { Attributes = {} } = await reach(
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
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
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

  return {
    async add(tokenId, hour, batch) {
      const { adds, sets, values } = usageUpdate(hour);
      const known = { ...values, ":batch": { S: batch }, ":delete_at": deleteAt(hour.hour) };
      const isNew = "(attribute_not_exists(batches) OR NOT contains(batches, :batch))";
      const expression = (added: string[]) =>
        `ADD ${added.join(", ")} SET ${[...sets, "delete_at = :delete_at"].join(", ")}`;

      const old =
        (await update(tokenId, hour.hour, {
          expression: expression([...adds, "batches :batches"]),
          condition: `${isNew} AND (attribute_not_exists(batches) OR size(batches) < :most)`,
          values: { ...known, ":batches": { SS: [batch] }, ":most": { N: String(rememberedBatches) } },
        })) ??
        // Added before, or there is no room to remember it.
        (await update(tokenId, hour.hour, { expression: expression(adds), condition: isNew, values: known }));
      if (!old) return;

      // A batch may come after one that is younger.
      const { first_used_at: first, last_used_at: last } = hour;
      const before = fromItem<{ first_used_at?: string; last_used_at?: string }>(old);
      if (first !== undefined && before.first_used_at !== undefined && first < before.first_used_at) {
        await update(tokenId, hour.hour, {
          expression: "SET first_used_at = :time",
          condition: "first_used_at > :time",
          values: { ":time": { S: first } },
        });
      }
      if (last !== undefined && before.last_used_at !== undefined && last < before.last_used_at) {
        await update(tokenId, hour.hour, {
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

const toLeak = (item: Item): Leak => {
  const { entry, seen_at, source_ip } = fromItem<{ entry: string; seen_at: string; source_ip: string }>(item);
  return { token_id: entry, time: seen_at, source_ip };
};
