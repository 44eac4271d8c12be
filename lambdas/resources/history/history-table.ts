import { deletableAfter, textOfLength, time } from "../../dynamodb/formats.ts";
import { changeIndex, readHistory, type StoredHistory, shardOf } from "../../dynamodb/history.ts";
import { type ChangedItems, type ChangedRequest, type Table, table } from "../../dynamodb/table.ts";
import { exampleKey, keyIdLength } from "../keys/fields.ts";

/** A key that was deleted. */
export interface ArchivedKey {
  key_id: string;
  /** When it was deleted. */
  ended_at: string;
}

export interface HistoryStore {
  /** Stores the history of a deleted key for 90 days after its deletion. Repeating it changes nothing. */
  archive(deleted: ArchivedKey, history: StoredHistory): Promise<void>;
  /** The histories of keys that had this id, oldest first. */
  ofKey(keyId: string): Promise<StoredHistory[]>;
  /** A step through the deleted keys of a shard, the most recently deleted first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
}

const keptSeconds = 90 * 24 * 60 * 60;

/** Every time sorts after this text. */
const fromTheBeginning = "0";

/** The histories of deleted keys in a DynamoDB table. A stored history never changes. */
export const dynamodbHistoryStore = (table: Table<ArchivedKey>): HistoryStore => ({
  async archive({ key_id, ended_at }, { entries, dropped }) {
    await table.update(
      { key_id, ended_at },
      {
        expression: `SET #history = :history, change_shard = :shard, delete_at = :delete_at${dropped > 0 ? ", history_dropped = :dropped" : ""}`,
        values: {
          history: new Set(entries),
          shard: shardOf(key_id),
          delete_at: deletableAfter(ended_at, keptSeconds),
          ...(dropped > 0 && { dropped }),
        },
      },
    );
  },

  async ofKey(keyId) {
    const items = await table.query(keyId, fromTheBeginning);
    return items.map(readHistory);
  },

  changed: (request) => table.changed(request),
});

/** The histories of deleted keys. All other histories are in the records themselves. */
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
    ofKey: ["Query"],
    changed: [{ action: "Query", index: changeIndex.name }],
  },
  createStore: dynamodbHistoryStore,
  example: { key_id: exampleKey.key_id, ended_at: "2026-11-21T10:15:30.123Z" },
});
