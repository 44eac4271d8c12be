import { movedForward, time } from "../../../lambdas/dynamodb/formats.ts";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { tables } from "../../../lambdas/resources/stores.ts";

/** The attributes of the tombstone that a deleted record leaves for at least an hour. A copy treats it as no item. */
export interface DeletionNames {
  mark: string;
  /** The time of the deletion, and otherwise of an item's last change. */
  time: string;
}

/** How the service marks deletions in a table with this key; undefined if it deletes items at once, or has no such table. */
export const deletionNames = (key: readonly string[]): DeletionNames | undefined => {
  for (const { partitionKey, sortKey, deletionMark, timeOfChange } of Object.values<AnyTable>(tables)) {
    const isSame = key[0] === partitionKey && key[1] === sortKey;
    if (isSame && deletionMark !== undefined && timeOfChange !== undefined) {
      return { mark: deletionMark, time: timeOfChange };
    }
  }
  return undefined;
};

/** A put that replaces exactly the tombstone that was seen; undefined if the item that was seen is not a tombstone. */
export const replaceDeletion = (item: Item, seen: Item, names: DeletionNames) => {
  const mark = seen[names.mark];
  const deletedAt = time.read(seen[names.time]?.S ?? "");
  if (mark === undefined || deletedAt === undefined) return undefined;
  // The time of an item only moves forward, so an attempt to delete it that is carried out late has no effect.
  const changedAt = movedForward(item[names.time]?.S ?? "", deletedAt);
  return {
    Item: { ...item, [names.time]: { S: changedAt } },
    ConditionExpression: "#mark = :mark AND #time = :time",
    ExpressionAttributeNames: { "#mark": names.mark, "#time": names.time },
    ExpressionAttributeValues: { ":mark": mark, ":time": { S: deletedAt } },
  };
};

/** The condition that an item has one of these attributes, and is not the tombstone of a deleted record. */
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
