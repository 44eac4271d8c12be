import { setTimeout } from "node:timers/promises";
import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { tables } from "../../lambdas/domain/built-in-stores.ts";
import type { Item } from "../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { movedForward, toTime } from "../../lambdas/dynamodb/times.ts";
import { isTime } from "../../lambdas/shared/validation/fields.ts";

// The limit of DynamoDB.
const itemsPerBatch = 25;
const batchesAtOnce = 4;
const putsAtOnce = 25;
const longestWaitMs = 20_000;

/**
 * The attributes of the tombstone that a deleted record leaves. A copy treats a tombstone as a missing item.
 */
export interface DeletionNames {
  mark: string;
  /** The time of the deletion, or of the last change if the item was not deleted. */
  time: string;
}

/**
 * Returns how the service marks deletions in a table with this key. Returns `undefined` if the service deletes items at once. Other
 * tables are those of applications, which `recordTable` declares.
 */
export const deletionNames = (key: readonly string[]): DeletionNames | undefined => {
  for (const { partitionKey, sortKey, deletionMark, timeOfChange } of Object.values<AnyTable>(tables)) {
    const isSame = key[0] === partitionKey && key[1] === sortKey;
    if (!isSame) continue;
    return deletionMark && timeOfChange ? { mark: deletionMark, time: timeOfChange } : undefined;
  }
  return { mark: "deletion_id", time: "updated_at" };
};

/** Returns a put that replaces exactly the tombstone that was seen, or `undefined` if the seen item is not a tombstone. */
const replaceDeletion = (item: Item, seen: Item, names: DeletionNames) => {
  const mark = seen[names.mark];
  const deletedAt = seen[names.time]?.S ?? "";
  if (mark === undefined || !isTime(deletedAt)) return undefined;
  // The time of an item only moves forward, so a late attempt to delete the item has no effect. It is the present time, so that
  // whoever follows changes gets the item again.
  const changedAt = movedForward(toTime(Date.now()), deletedAt);
  return {
    Item: { ...item, [names.time]: { S: changedAt } },
    ConditionExpression: "#mark = :mark AND #time = :time",
    ExpressionAttributeNames: { "#mark": names.mark, "#time": names.time },
    ExpressionAttributeValues: { ":mark": mark, ":time": { S: deletedAt } },
  };
};

/** Returns the condition that an item has one of these attributes and is not the tombstone of a deleted record. */
export const filterOf = (having: readonly string[], deletion: DeletionNames | undefined) => {
  const isChosen = having.map((_, index) => `attribute_exists(#a${index})`).join(" OR ");
  const conditions = [isChosen && `(${isChosen})`, deletion && "attribute_not_exists(#mark)"].filter(Boolean);
  if (conditions.length === 0) return {};
  return {
    FilterExpression: conditions.join(" AND "),
    ExpressionAttributeNames: {
      ...Object.fromEntries(having.map((attribute, index) => [`#a${index}`, attribute])),
      ...(deletion && { "#mark": deletion.mark }),
    },
  };
};

/** Processes values in order, with a limited number in progress at once. */
const forEachAtOnce = async <Value>(
  values: Iterable<Value>,
  limit: number,
  work: (value: Value) => Promise<void>,
): Promise<void> => {
  const remaining = Iterator.from(values);
  const workThrough = async () => {
    for (const value of remaining) await work(value);
  };
  await Promise.all(Array.from({ length: limit }, workThrough));
};

/** Returns functions that put items into a table. Both functions report how many existing items they skipped. */
export const itemWriter = (client: DynamoDBClient, table: string, partitionKey: string, deletion?: DeletionNames) => {
  const putBatch = async (items: Item[]): Promise<void> => {
    let rest = items.map((Item) => ({ PutRequest: { Item } }));
    for (let waitMs = 100; rest.length > 0; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      const { UnprocessedItems = {} } = await client.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: rest } }),
      );
      rest = (UnprocessedItems[table] ?? []).flatMap(({ PutRequest }) =>
        PutRequest?.Item ? [{ PutRequest: { Item: PutRequest.Item } }] : [],
      );
      if (rest.length > 0) await setTimeout(Math.random() * waitMs);
    }
  };

  /** Puts an item if a condition holds. Otherwise returns the existing item. */
  const putIf = async (put: Omit<PutItemCommandInput, "TableName">): Promise<Item | undefined> => {
    try {
      await client.send(
        new PutItemCommand({ ...put, TableName: table, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return error.Item ?? {};
      throw error;
    }
  };

  const ifMissing = (item: Item) => ({
    Item: item,
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": partitionKey },
  });

  return {
    async putAll(items: Item[]): Promise<number> {
      const batches = Array.from({ length: Math.ceil(items.length / itemsPerBatch) }, (_, index) =>
        items.slice(index * itemsPerBatch, (index + 1) * itemsPerBatch),
      );
      await forEachAtOnce(batches, batchesAtOnce, putBatch);
      return 0;
    },
    async putMissing(items: Item[]): Promise<number> {
      let kept = 0;
      await forEachAtOnce(items, putsAtOnce, async (item) => {
        let existing = await putIf(ifMissing(item));
        while (existing) {
          const replacement = deletion && replaceDeletion(item, existing, deletion);
          if (!replacement) kept += 1;
          existing = replacement && (await putIf(replacement));
        }
      });
      return kept;
    },
  };
};
