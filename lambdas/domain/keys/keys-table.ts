import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import type { ChangesOperation } from "../../dynamodb/change-feed.ts";
import { feedTombstoneSeconds } from "../../dynamodb/change-feed-cursor.ts";
import {
  changeShard,
  changesIn,
  deletedShardOf,
  deletedShards,
  historyAttributes,
  liveShards,
  readHistory,
  type StoredHistory,
  shardOf,
} from "../../dynamodb/change-history.ts";
import {
  type Change,
  changeIndexName,
  type FollowedTable,
  type PageRequest,
  type Table,
  table,
} from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { seenIn } from "../../dynamodb/versions.ts";
import { type Author, formatEntry } from "../history/change-entry.ts";
import type { KeyChangeKind } from "../history/change-kinds.ts";
import { type editedContents, exampleKey, key, keyContents, type writtenKey } from "./key-fields.ts";

/** A key as it is stored and returned. Its `v_code` is a secret that is never logged. */
export type Key = z.output<typeof key>;

type WrittenKey = z.input<typeof writtenKey>;

/** The contents that replace those of a key. A required field that is left out stays unchanged. */
type Replacement = Pick<Key, "key_id"> & z.input<typeof editedContents>;

/** The versions in which a key may be changed; `undefined` allows any version. See `versions.ts`. */
type ExpectedVersions = readonly string[] | undefined;

export interface KeyPage<K = Key> {
  keys: K[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** The number of items read for the page. */
  examined: number;
}

type KeyPageRequest = Pick<PageRequest, "limit" | "after" | "prefix">;

/** The attributes that pages of changes read from the index, which also has the histories. */
const followed = [...Object.keys(key.shape), "deletion_id", changeShard];

/** The attributes that a search for histories reads: not the v_code. */
const historical = ["key_id", "updated_at", changeShard, ...historyAttributes];

const isDeleted = "attribute_exists(deletion_id) AND attribute_not_exists(created_at)";

/** The fields of a key besides its id and the time of its last change. */
const contents = Object.keys(key.shape).filter((name) => name !== "key_id" && name !== "updated_at");

/** The fields that a key may lack. A replacement removes those that it does not set. */
const removable = Object.entries(keyContents.shape).flatMap(([name, { _zod }]) =>
  _zod.optout === "optional" ? [name] : [],
);

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
   * Stores a key unless its `key_id` exists. `unchanged` means that exactly this key already existed, and `taken` that the `key_id`
   * has other contents. If calls are simultaneous, exactly one returns `created`.
   */
  async create(
    written: WrittenKey,
    author: Author,
  ): Promise<{ outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" }> {
    const { key_id, ...values } = written;
    const { outcome, record: key } = await table.change(
      { key_id },
      {
        condition: `attribute_not_exists(key_id) OR (${isDeleted})`,
        appliesTo: (existing) => existing === undefined,
        set: (created_at) => ({ ...values, created_at, [changeShard]: shardOf(key_id) }),
        remove: ["deletion_id", "delete_at"],
        entry: entryOf("created", author),
      },
    );
    if (!key || !isSame(key, written)) return { outcome: "taken" };
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

  /** Replaces the contents of a key. If a key has another version but already has these contents, the outcome is also `replaced`. */
  async replace(
    written: Replacement,
    author: Author,
    versions?: ExpectedVersions,
  ): Promise<{ outcome: "replaced"; key: Key } | { outcome: "not found" | "changed" }> {
    const { key_id, ...values } = written;
    const { record: key } = await table.change(
      { key_id },
      {
        ...existing(versions),
        set: () => ({ ...values, [changeShard]: shardOf(key_id) }),
        remove: removable,
        entry: entryOf("replaced", author),
      },
    );
    if (!key) return { outcome: "not found" };
    // The same request may have been made before, and its response lost: RFC 9110, section 13.1.1.
    return isSame(key, written) ? { outcome: "replaced", key } : { outcome: "changed" };
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
        set: () => ({ deletion_id: randomUUID(), [changeShard]: deletedShardOf(key_id) }),
        remove: contents,
        entry: entryOf("deleted", author),
      },
    );
    if (outcome !== "refused") return "deleted";
    return key ? "changed" : "not found";
  },

  /** Reads one step of a shard, most recently changed keys first, with their histories. Eventually consistent. */
  changed: changesIn(table, "updated_at", historical),

  /**
   * Removes the history of a deleted key, which has been stored elsewhere, and lets the key's tombstone expire. Until then, it stays
   * in its shard, because pages of changes show it.
   *
   * @param deletedAt the time of the deletion; nothing happens if the key has been changed since
   */
  async forget(key_id: string, deletedAt: string): Promise<void> {
    await table.update(
      { key_id },
      {
        condition: "attribute_exists(deletion_id) AND updated_at = :deleted",
        expression: "SET delete_at = :delete_at REMOVE history, history_dropped",
        values: { deleted: deletedAt, delete_at: deletableAfter(deletedAt, feedTombstoneSeconds) },
      },
    );
  },
});

type OwnOperations = ReturnType<typeof keyStore>;

export type KeyStore = OwnOperations & ChangesOperation<Key, Pick<Key, "key_id">>;

const entryOf = (kind: KeyChangeKind, author: Author) => (time: string) => formatEntry(time, { kind, author });

/** Checks whether a key has these contents, and none of the optional ones that they lack. */
const isSame = (key: Readonly<Record<string, unknown>>, written: Readonly<Record<string, unknown>>): boolean =>
  [...Object.keys(written), ...removable].every((name) => key[name] === written[name]);

/** Returns the condition of a change: the key exists and has one of the expected versions. */
const existing = (versions: ExpectedVersions): Pick<Change<Key>, "condition" | "appliesTo" | "seen"> => ({
  condition: "attribute_exists(created_at) AND attribute_not_exists(deletion_id)",
  appliesTo: (key) => key !== undefined,
  seen: seenIn(versions),
});

const declared = table<Key, OwnOperations>({
  partitionKey: "key_id",
  timeOfChange: "updated_at",
  hasHistory: true,
  // The tombstone of a deleted key has the key's id, its time, an id of the deletion and its history. It stops late attempts to
  // restore the key, and is kept for 35 days after the deletion, once the daily job has stored its history elsewhere.
  deletionMark: "deletion_id",
  timeToLive: "delete_at",
  // Whole items, because pages of changes show the v_code.
  indexes: { [changeIndexName]: { partition: [changeShard], sort: "updated_at" } },
  schema: key,
  rights: {
    list: ["Scan"],
    listWithHistory: ["Scan"],
    create: ["UpdateItem"],
    get: ["GetItem"],
    getWithHistory: ["GetItem"],
    replace: ["UpdateItem"],
    delete: ["UpdateItem"],
    changed: [{ action: "Query", index: changeIndexName, attributes: historical }],
    // The daily function needs this right, so it must not allow setting a v_code.
    forget: [
      {
        action: "UpdateItem",
        attributes: ["key_id", "updated_at", "delete_at", ...historyAttributes],
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

/** The table of keys, whose changes can be followed. That operation is added to the store where stores are created. */
export const keys: FollowedTable<Key, OwnOperations, KeyStore> = {
  ...declared,
  rights: { ...declared.rights, changes: [{ action: "Query", index: changeIndexName, attributes: followed }] },
  changes: { shards: [...liveShards, ...deletedShards], attributes: followed },
};
