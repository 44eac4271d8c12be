import { readHistory } from "../../dynamodb/history.ts";
import type { Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import type { ArchivedKey, HistoryStore } from "./history-store.ts";
import { shardOf } from "./shards.ts";

const keptSeconds = 90 * 24 * 60 * 60;

/** Every time is later than this text. */
const fromTheBeginning = "0";

/** Histories of deleted keys in a DynamoDB table, each of which never changes. */
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
