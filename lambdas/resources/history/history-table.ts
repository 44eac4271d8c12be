import { textOfLength, time } from "../../dynamodb/formats.ts";
import { changeIndex } from "../../dynamodb/history.ts";
import { table } from "../../dynamodb/table.ts";
import { exampleKey, keyIdLength } from "../keys/fields.ts";
import { dynamodbHistoryStore } from "./dynamodb-history-store.ts";
import type { ArchivedKey, HistoryStore } from "./history-store.ts";

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
