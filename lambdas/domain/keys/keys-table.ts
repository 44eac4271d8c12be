import { randomUUID } from "node:crypto";
import { changeIndex, deletedShardOf, readHistory, shardOf } from "../../dynamodb/change-history.ts";
import { deletableAfter, textOfLength, time, toTime } from "../../dynamodb/formats.ts";
import { type Change, type Table, table } from "../../dynamodb/table.ts";
import { type Author, formatEntry } from "../history/change-entry.ts";
import type { KeyChangeKind } from "../history/change-kinds.ts";
import { exampleKey, keyIdLength, vCodeLength } from "./key-fields.ts";
import { type Key, type KeyStore, updatedAtOf } from "./key-store.ts";

const isDeleted = "attribute_exists(deletion_id) AND attribute_not_exists(v_code)";

/** Stores keys in a DynamoDB table. Each operation takes one round trip; a change shortly after another change takes two. */
export const dynamodbKeyStore = (table: Table<Key>): KeyStore => ({
  async list(request) {
    const { records, ...page } = await table.page(request);
    return { ...page, keys: records };
  },

  async listWithHistory(request) {
    const { records, ...page } = await table.pageOf(request, (key, item) => ({ ...key, history: readHistory(item) }));
    return { ...page, keys: records };
  },

  async create({ key_id, v_code }, author) {
    const { outcome, record: key } = await table.change(
      { key_id },
      {
        condition: `attribute_not_exists(key_id) OR (${isDeleted})`,
        appliesTo: (existing) => existing === undefined,
        set: (created_at) => ({ v_code, created_at, change_shard: shardOf(key_id) }),
        remove: ["deletion_id", "delete_at"],
        entry: entryOf("created", author),
      },
    );
    if (key?.v_code !== v_code) return { outcome: "taken" };
    return { outcome: outcome === "changed" ? "created" : "unchanged", key };
  },

  get: (key_id) => table.get({ key_id }),

  async getWithHistory(key_id) {
    const item = await table.getItem({ key_id });
    return item && { key: table.readUnlessDeleted(item), history: readHistory(item) };
  },

  async replace({ key_id, v_code }, author, versions) {
    const { record: key } = await table.change(
      { key_id },
      {
        ...existing(versions),
        set: () => ({ v_code, change_shard: shardOf(key_id) }),
        entry: entryOf("replaced", author),
      },
    );
    if (!key) return { outcome: "not found" };
    // The same request may have been made before, and its response lost: RFC 9110, section 13.1.1.
    return key.v_code === v_code ? { outcome: "replaced", key } : { outcome: "changed" };
  },

  async delete(key_id, author, versions) {
    const { outcome, record: key } = await table.change(
      { key_id },
      {
        ...existing(versions),
        set: () => ({ deletion_id: randomUUID(), change_shard: deletedShardOf(key_id) }),
        remove: ["v_code", "created_at"],
        entry: entryOf("deleted", author),
      },
    );
    if (outcome !== "refused") return "deleted";
    return key ? "changed" : "not found";
  },

  changed: (request) => table.changed(request),

  async forget(key_id, deletedAt) {
    await table.update(
      { key_id },
      {
        condition: "attribute_exists(deletion_id) AND updated_at = :deleted",
        expression: "SET delete_at = :delete_at REMOVE history, history_dropped, change_shard",
        values: { deleted: deletedAt, delete_at: deletableAfter(deletedAt, 0) },
      },
    );
  },
});

const entryOf = (kind: KeyChangeKind, author: Author) => (time: string) => formatEntry(time, { kind, author });

/** Returns the condition of a change: the key exists and has one of the expected versions. */
const existing = (versions: readonly string[] | undefined): Pick<Change<Key>, "condition" | "appliesTo" | "seen"> => {
  const condition = "attribute_exists(v_code) AND attribute_not_exists(deletion_id)";
  const appliesTo = (key: Key | undefined) => key !== undefined;
  if (!versions) return { condition, appliesTo };
  const times = versions.map(updatedAtOf).filter((time) => time !== undefined);
  return { condition, appliesTo, seen: [...times, never] };
};

/** A time at which no key was changed. It stands for versions that no key can have. */
const never = toTime(0);

export const keys = table<Key, KeyStore>({
  partitionKey: "key_id",
  timeOfChange: "updated_at",
  hasHistory: true,
  // The tombstone of a deleted key has the key's id, its time, an id of the deletion and its history. It stops late attempts to
  // restore the key, and is kept until the daily job has stored its history elsewhere.
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
    // The daily function needs this right, so it must not allow setting a v_code.
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
