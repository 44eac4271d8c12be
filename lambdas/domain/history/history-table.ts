import * as z from "zod/mini";
import {
  changeIndex,
  changesIn,
  hasEntry,
  readHistory,
  type StoredHistory,
  shardOf,
} from "../../dynamodb/change-history.ts";
import { itemsFrom } from "../../dynamodb/items-from.ts";
import { invalidResponse } from "../../dynamodb/records.ts";
import { changeIndexName, type Table, table } from "../../dynamodb/table.ts";
import { deletableAfter, movedForward, toTime } from "../../dynamodb/times.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { time } from "../../shared/validation/fields.ts";
import { exampleKey, keyId } from "../keys/key-fields.ts";
import { type Author, formatEntry } from "./change-entry.ts";

/** A key that was deleted, or whose v_code was shown to an admin. */
export interface ArchivedKey {
  key_id: string;
  /** When the key was deleted or shown. */
  ended_at: string;
}

const keptSeconds = 90 * 24 * 60 * 60;

/** A string that sorts before every timestamp. */
const fromTheBeginning = "0";

/** Maximum attempts when timestamps collide. */
const mostTries = 5;

const key = { partitionKey: "key_id", sortKey: "ended_at" } as const;

/** Stores the histories of deleted keys, and who was shown a v_code, in a DynamoDB table. Stored items never change. */
const historyStore = (table: Table<ArchivedKey>) => ({
  /** Stores the history of a deleted key for 90 days after the deletion. Idempotent. */
  async archive({ key_id, ended_at }: ArchivedKey, { entries, dropped }: StoredHistory): Promise<void> {
    await table.update(
      { key_id, ended_at },
      {
        expression: `SET change_shard = :shard, delete_at = :delete_at${dropped > 0 ? ", history_dropped = :dropped" : ""} ADD #history :history`,
        values: {
          history: new Set(entries),
          shard: shardOf(key_id),
          delete_at: deletableAfter(ended_at, keptSeconds),
          ...(dropped > 0 && { dropped }),
        },
      },
    );
  },

  /**
   * Records, for 90 days, that somebody was shown a key's v_code. Each disclosure gets its own item, so no record of one is lost.
   */
  async recordReveal(key_id: string, author: Author): Promise<void> {
    let shown_at = toTime(Date.now());
    for (let tries = 0; tries < mostTries; tries += 1) {
      const entry = formatEntry(shown_at, { kind: "revealed", author });
      const updated = await table.update(
        { key_id, ended_at: shown_at },
        {
          condition: "attribute_not_exists(key_id)",
          expression: "SET #history = :history, change_shard = :shard, delete_at = :delete_at",
          values: {
            history: new Set([entry]),
            shard: shardOf(key_id),
            delete_at: deletableAfter(shown_at, keptSeconds),
          },
          returns: "ALL_NEW",
          returnsItemIfRefused: true,
        },
      );
      const item = updated.applied ? updated.attributes : updated.item;
      // A retry finds the entry that an earlier attempt stored.
      if (item && hasEntry(item, entry)) return;
      if (updated.applied) throw invalidResponse("The item is not what the update makes of it.");
      shown_at = movedForward(toTime(Date.now()), shown_at);
    }
    throw new ApiError("unavailable", { cause: new Error("Others were shown the v_code at the same times.") });
  },

  /** Returns the histories of keys that had this id, and the records of who was shown a v_code, oldest first. */
  async ofKey(keyId: string): Promise<StoredHistory[]> {
    const items = await itemsFrom(table, key, { partition: keyId, from: fromTheBeginning });
    return items.map(readHistory);
  },

  /** Reads one step of a shard, latest items first. Eventually consistent. */
  changed: changesIn(table, "ended_at"),
});

export type HistoryStore = ReturnType<typeof historyStore>;

/** The histories of deleted keys, and who was shown a v_code. Other histories are stored in the records themselves. */
export const history = table<ArchivedKey, HistoryStore>({
  ...key,
  timeOfChange: "ended_at",
  hasHistory: true,
  timeToLive: "delete_at",
  indexes: changeIndex("ended_at"),
  schema: z.object({ key_id: keyId, ended_at: time() }),
  rights: {
    archive: ["UpdateItem"],
    recordReveal: ["UpdateItem"],
    ofKey: ["Query"],
    changed: [{ action: "Query", index: changeIndexName }],
  },
  createStore: historyStore,
  example: { key_id: exampleKey.key_id, ended_at: "2026-11-21T10:15:30.123Z" },
});
