import type { HistoryStore } from "../domain/history/history-table.ts";
import type { KeyStore } from "../domain/keys/keys-table.ts";
import { deletedShards, readHistory, type StoredHistory } from "../dynamodb/change-history.ts";
import type { Item } from "../dynamodb/records.ts";
import { inGroups } from "./in-groups.ts";

/**
 * A tombstone is kept at least this long, so that a late attempt cannot restore its key. DynamoDB rejects requests whose signature
 * is older than 15 minutes.
 */
const keptMs = 60 * 60 * 1000;

const stepSize = 500;

/**
 * Moves the histories of deleted keys from their tombstones to a separate table, because tombstones slow down lists of keys.
 * Returns how many histories were moved. Calls `unreadable` for each history that cannot be read, and leaves that history in place.
 */
export const archiveHistories = async (
  { keys, history }: { keys: Pick<KeyStore, "changed" | "forget">; history: Pick<HistoryStore, "archive"> },
  { now, unreadable }: { now: string; unreadable: (error: unknown) => void },
): Promise<number> => {
  const deletedBefore = new Date(Date.parse(now) - keptMs).toISOString();
  let moved = 0;
  for (const shard of deletedShards) {
    let after: Awaited<ReturnType<KeyStore["changed"]>>["next"];
    do {
      const { items, next } = await keys.changed({ shard, limit: stepSize, after });
      await inGroups(items, async (item) => {
        const key_id = item.key_id?.S ?? "";
        const ended_at = item.updated_at?.S ?? "";
        // A tombstone whose history has been moved has none.
        if (ended_at >= deletedBefore || !item.history) return;
        const stored = readIn(item, unreadable);
        if (!stored) return;
        await history.archive({ key_id, ended_at }, stored);
        await keys.forget(key_id, ended_at);
        moved += 1;
      });
      after = next;
    } while (after !== undefined);
  }
  return moved;
};

const readIn = (item: Item, unreadable: (error: unknown) => void): StoredHistory | undefined => {
  try {
    return readHistory(item);
  } catch (error) {
    unreadable(error);
    return undefined;
  }
};
