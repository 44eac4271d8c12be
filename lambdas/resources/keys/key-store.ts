import { toTime } from "../../dynamodb/formats.ts";
import type { StoredHistory } from "../../dynamodb/history.ts";
import type { ChangedItems, ChangedRequest } from "../../dynamodb/table.ts";
import type { Author } from "../history/change-entry.ts";

/** A key as it is stored and returned. Times are RFC 3339, UTC, with milliseconds. */
export interface Key {
  key_id: string;
  /** A secret of 64 characters: never logged. */
  v_code: string;
  created_at: string;
  updated_at: string;
}

export interface KeyPageRequest {
  limit?: number | undefined;
  after?: string | undefined;
  prefix?: string | undefined;
}

/** A key and what has happened to it. */
export interface KeyWithHistory {
  /** `undefined` if the key has been deleted. */
  key: Key | undefined;
  history: StoredHistory;
}

export interface KeyPage<K = Key> {
  keys: K[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** How many items of the table were read for it. */
  examined: number;
}

/** `created` now, `unchanged` because the very same pair existed, or `taken` by another `v_code`. */
export type CreateOutcome = { outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" };

export type ReplaceOutcome = { outcome: "replaced"; key: Key } | { outcome: "not found" | "changed" };

export type DeleteOutcome = "deleted" | "not found" | "changed";

/** A key is changed only if it has one of these versions; if none are given, any key is changed. See `versionOf`. */
type ExpectedVersions = readonly string[] | undefined;

export interface KeyStore {
  /**
   * At most `limit` keys, or as many as fit into a response, in the table's own order. Costs what it returns, however large the
   * table. With a `prefix`, only keys whose `key_id` begins with it: that reads up to 4 MB of the table for a page, which may
   * have few keys or none although there is a next one.
   */
  list(page: KeyPageRequest): Promise<KeyPage>;
  /** Like `list`, with the history of each key. */
  listWithHistory(page: KeyPageRequest): Promise<KeyPage<Key & { history: StoredHistory }>>;
  /** Stores the pair unless the `key_id` exists. Of simultaneous calls exactly one is `created`. */
  create(pair: Pick<Key, "key_id" | "v_code">, author: Author): Promise<CreateOutcome>;
  get(keyId: string): Promise<Key | undefined>;
  /** A key with its history. The history of a deleted key is still found for some time. */
  getWithHistory(keyId: string): Promise<KeyWithHistory | undefined>;
  /** Replaces the `v_code` of a key. A key of another version that has this `v_code` already is `replaced`, too. */
  replace(pair: Pick<Key, "key_id" | "v_code">, author: Author, versions?: ExpectedVersions): Promise<ReplaceOutcome>;
  delete(keyId: string, author: Author, versions?: ExpectedVersions): Promise<DeleteOutcome>;
  /** A step through the keys of a shard, the most recently changed first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
  /**
   * Removes the history of a deleted key, which is stored elsewhere by now, and lets the key's tombstone expire.
   *
   * @param deletedAt the time of the deletion: nothing happens if the key has been changed since
   */
  forget(keyId: string, deletedAt: string): Promise<void>;
}

/** The version of a key: its last change, which is later than every change before. It is opaque to clients. */
export const versionOf = ({ updated_at }: Pick<Key, "updated_at">): string => Date.parse(updated_at).toString(36);

/** The `updated_at` of a key with this version; `undefined` if no key can have it. */
export const updatedAtOf = (version: string): string | undefined => {
  const time = /^[\da-z]{1,9}$/.test(version) ? toTime(Number.parseInt(version, 36)) : undefined;
  return time !== undefined && versionOf({ updated_at: time }) === version ? time : undefined;
};
