import { deletableAfter, movedForward, textOfLength, time, toTime } from "../../dynamodb/formats.ts";
import { changeIndex, hasEntry, readHistory, type StoredHistory, shardOf } from "../../dynamodb/history.ts";
import { invalidResponse } from "../../dynamodb/records.ts";
import { type ChangedItems, type ChangedRequest, type Table, table } from "../../dynamodb/table.ts";
import { ApiError } from "../../errors/api-error.ts";
import { exampleKey, keyIdLength } from "../keys/fields.ts";
import { type Author, formatEntry } from "./change-entry.ts";

/** A key that was deleted, or whose v_code an admin was shown. */
export interface ArchivedKey {
  key_id: string;
  /** When that happened. */
  ended_at: string;
}

export interface HistoryStore {
  /** Stores the history of a deleted key for 90 days after its deletion. Repeating it changes nothing. */
  archive(deleted: ArchivedKey, history: StoredHistory): Promise<void>;
  /** Records for 90 days that somebody is shown the v_code of a key. Each time has its own item, so none is ever dropped. */
  recordReveal(keyId: string, author: Author): Promise<void>;
  /** The histories of keys that had this id, and who was shown a v_code, oldest first. */
  ofKey(keyId: string): Promise<StoredHistory[]>;
  /** A step through the items of a shard, the latest first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
}

const keptSeconds = 90 * 24 * 60 * 60;

/** Every time sorts after this text. */
const fromTheBeginning = "0";

/** So many times in a row may be taken by others. */
const mostTries = 5;

/** The histories of deleted keys in a DynamoDB table, and who was shown a v_code. What is stored never changes. */
export const dynamodbHistoryStore = (table: Table<ArchivedKey>): HistoryStore => ({
  async archive({ key_id, ended_at }, { entries, dropped }) {
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

  async recordReveal(key_id, author) {
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
      // An attempt that is repeated finds its own entry.
      if (item && hasEntry(item, entry)) return;
      if (updated.applied) throw invalidResponse("The item is not what the update makes of it.");
      shown_at = movedForward(toTime(Date.now()), shown_at);
    }
    throw new ApiError("unavailable", { cause: new Error("Others were shown the v_code at the same times.") });
  },

  async ofKey(keyId) {
    const items = await table.query(keyId, fromTheBeginning);
    return items.map(readHistory);
  },

  changed: (request) => table.changed(request),
});

/** The histories of deleted keys, and who was shown a v_code. All other histories are in the records themselves. */
export const history = table<ArchivedKey, HistoryStore>({
  partitionKey: "key_id",
  sortKey: "ended_at",
  timeOfChange: "ended_at",
  hasHistory: true,
  timeToLive: "delete_at",
  fields: {
    key_id: textOfLength(keyIdLength),
    ended_at: time,
  },
  rights: {
    archive: ["UpdateItem"],
    recordReveal: ["UpdateItem"],
    ofKey: ["Query"],
    changed: [{ action: "Query", index: changeIndex.name }],
  },
  createStore: dynamodbHistoryStore,
  example: { key_id: exampleKey.key_id, ended_at: "2026-11-21T10:15:30.123Z" },
});
