import { table } from "../../dynamodb/table.ts";
import { dynamodbKeyStore } from "./dynamodb-key-store.ts";
import { exampleKey } from "./fields.ts";
import type { Key, KeyStore } from "./key-store.ts";

export const keys = table<Key, KeyStore>({
  partitionKey: "key_id",
  fields: { key_id: "text", v_code: "text", created_at: "time", updated_at: "time" },
  rights: {
    list: ["Scan"],
    create: ["UpdateItem"],
    get: ["GetItem"],
    replace: ["UpdateItem"],
    delete: ["DeleteItem"],
  },
  createStore: dynamodbKeyStore,
  example: {
    ...exampleKey,
    created_at: "2026-11-21T10:15:30.123Z",
    updated_at: "2026-11-21T10:15:30.123Z",
  },
});
