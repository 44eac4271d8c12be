import { textOfLength, time } from "../../dynamodb/formats.ts";
import { changeIndex } from "../../dynamodb/history.ts";
import { table } from "../../dynamodb/table.ts";
import { dynamodbKeyStore } from "./dynamodb-key-store.ts";
import { exampleKey, keyIdLength, vCodeLength } from "./fields.ts";
import type { Key, KeyStore } from "./key-store.ts";

export const keys = table<Key, KeyStore>({
  partitionKey: "key_id",
  timeOfChange: "updated_at",
  hasHistory: true,
  // The tombstone of a deleted key has its id, its time, an id of the deletion and its history. It stops late attempts to restore
  // the key, and stays until the daily job has stored its history elsewhere.
  deletionMark: "deletion_id",
  timeToLive: "delete_at",
  fields: {
    key_id: textOfLength(keyIdLength),
    v_code: textOfLength({ min: vCodeLength, max: vCodeLength }),
    created_at: time,
    updated_at: time,
  },
  rights: {
    list: ["Scan"],
    listWithHistory: ["Scan"],
    create: ["UpdateItem"],
    get: ["GetItem"],
    getWithHistory: ["GetItem"],
    replace: ["UpdateItem"],
    delete: ["UpdateItem"],
    changed: [{ action: "Query", index: changeIndex.name }],
    // The function that runs once a day may do this, so it must not include the right to set a v_code.
    forget: [
      {
        action: "UpdateItem",
        attributes: ["key_id", "updated_at", "delete_at", changeIndex.partitionKey, ...changeIndex.attributes],
      },
    ],
  },
  createStore: dynamodbKeyStore,
  example: {
    ...exampleKey,
    created_at: "2026-11-21T10:15:30.123Z",
    updated_at: "2026-11-21T10:15:30.123Z",
  },
});
