import { readHistory } from "../../dynamodb/history.ts";
import type { HistoryStore } from "../../resources/history/history-store.ts";
import { deletedShards } from "../../resources/history/shards.ts";
import type { KeyStore } from "../../resources/keys/key-store.ts";
import { inTurn } from "./in-turn.ts";

/**
 * A tombstone stays for so long at least, so that a late attempt cannot restore its key. DynamoDB accepts no request whose
 * signature is older than a quarter of an hour.
 */
const keptMs = 60 * 60 * 1000;

const stepSize = 500;

/**
 * Moves the histories of deleted keys from their tombstones, which would make lists of keys slower the more there are, to a
 * table of their own. Returns how many there were.
 */
export const archiveHistories = async (
  { keys, history }: { keys: Pick<KeyStore, "changed" | "forget">; history: Pick<HistoryStore, "archive"> },
  now: string,
): Promise<number> => {
  const deletedBefore = new Date(Date.parse(now) - keptMs).toISOString();
  let moved = 0;
  for (const shard of deletedShards) {
    let after: Awaited<ReturnType<KeyStore["changed"]>>["next"];
    do {
      const { items, next } = await keys.changed({ shard, limit: stepSize, after });
      await inTurn(items, async (item) => {
        const key_id = item.key_id?.S ?? "";
        const ended_at = item.updated_at?.S ?? "";
        if (ended_at >= deletedBefore) return;
        await history.archive({ key_id, ended_at }, readHistory(item));
        await keys.forget(key_id, ended_at);
        moved += 1;
      });
      after = next;
    } while (after !== undefined);
  }
  return moved;
};
