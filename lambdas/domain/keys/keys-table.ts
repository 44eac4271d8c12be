import { randomUUID } from "node:crypto";
import {
  changeIndex,
  deletedShardOf,
  readHistory,
  type StoredHistory,
  shardOf,
} from "../../dynamodb/change-history.ts";
import { deletableAfter, textOfLength, time, toTime } from "../../dynamodb/formats.ts";
import {
  type Change,
  type ChangedItems,
  type ChangedRequest,
  type PageRequest,
  type Table,
  table,
} from "../../dynamodb/table.ts";
import { type Author, formatEntry } from "../history/change-entry.ts";
import type { KeyChangeKind } from "../history/change-kinds.ts";
import { exampleKey, keyIdLength, vCodeLength } from "./key-fields.ts";

/** A key as it is stored and returned. Times are RFC 3339 in UTC, with milliseconds. */
export interface Key {
  key_id: string;
  /** A secret of 64 characters. It is never logged. */
  v_code: string;
  created_at: string;
  updated_at: string;
}

type Pair = Pick<Key, "key_id" | "v_code">;

/** The versions in which a key may be changed; `undefined` allows any version. See `versionOf`. */
type ExpectedVersions = readonly string[] | undefined;

export interface KeyPage<K = Key> {
  keys: K[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** The number of items read for the page. */
  examined: number;
}

type KeyPageRequest = Pick<PageRequest, "limit" | "after" | "prefix">;

const isDeleted = "attribute_exists(deletion_id) AND attribute_not_exists(v_code)";

/**
 * Stores keys in a DynamoDB table. Each operation takes one round trip, or two if it changes a key shortly after another change.
 */
const keyStore = (table: Table<Key>) => ({
  /**
   * Returns at most `limit` keys, or as many as fit into a response, in the table's own order. The cost depends on what is
   * returned, not on the size of the table. With a `prefix`, returns only keys whose `key_id` begins with it. That reads up to 4 MB
   * of the table per page. A page may contain few keys or none, even if there is a next page.
   */
  async list(request: KeyPageRequest): Promise<KeyPage> {
    const { records, ...page } = await table.page(request);
    return { ...page, keys: records };
  },

  /** Like `list`, with the history of each key. */
  async listWithHistory(request: KeyPageRequest): Promise<KeyPage<Key & { history: StoredHistory }>> {
    const { records, ...page } = await table.pageOf(request, (key, item) => ({ ...key, history: readHistory(item) }));
    return { ...page, keys: records };
  },

  /**
   * Stores the pair unless the `key_id` exists. `unchanged` means that exactly this pair already existed, and `taken` that the
   * `key_id` has another `v_code`. If calls are simultaneous, exactly one returns `created`.
   */
  async create(
    { key_id, v_code }: Pair,
    author: Author,
  ): Promise<{ outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" }> {
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

  get: (key_id: string): Promise<Key | undefined> => table.get({ key_id }),

  /**
   * Returns a key with its history. If the key has been deleted, returns only the history, for as long as it is still stored here.
   */
  async getWithHistory(key_id: string): Promise<{ key: Key | undefined; history: StoredHistory } | undefined> {
    const item = await table.getItem({ key_id });
    return item && { key: table.readUnlessDeleted(item), history: readHistory(item) };
  },

  /** Replaces the `v_code` of a key. If a key has another version but already has this `v_code`, the outcome is also `replaced`. */
  async replace(
    { key_id, v_code }: Pair,
    author: Author,
    versions?: ExpectedVersions,
  ): Promise<{ outcome: "replaced"; key: Key } | { outcome: "not found" | "changed" }> {
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

  async delete(
    key_id: string,
    author: Author,
    versions?: ExpectedVersions,
  ): Promise<"deleted" | "not found" | "changed"> {
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

  /** Reads one step of a shard, most recently changed keys first. Eventually consistent. */
  changed: (request: ChangedRequest): Promise<ChangedItems> => table.changed(request),

  /**
   * Removes the history of a deleted key, which has been stored elsewhere, and lets the key's tombstone expire.
   *
   * @param deletedAt the time of the deletion; nothing happens if the key has been changed since
   */
  async forget(key_id: string, deletedAt: string): Promise<void> {
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

export type KeyStore = ReturnType<typeof keyStore>;

const entryOf = (kind: KeyChangeKind, author: Author) => (time: string) => formatEntry(time, { kind, author });

/** Returns the version of a key: its last change, which is later than all earlier changes. Clients treat it as opaque. */
export const versionOf = ({ updated_at }: Pick<Key, "updated_at">): string => Date.parse(updated_at).toString(36);

/** Returns the `updated_at` of a key with this version; `undefined` if no key can have it. */
export const updatedAtOf = (version: string): string | undefined => {
  const time = /^[\da-z]{1,9}$/.test(version) ? toTime(Number.parseInt(version, 36)) : undefined;
  return time !== undefined && versionOf({ updated_at: time }) === version ? time : undefined;
};

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
  createStore: keyStore,
  example: {
    ...exampleKey,
    created_at: "2026-11-21T10:15:30.123Z",
    updated_at: "2026-11-21T10:15:30.123Z",
  },
});
