import type { StoredHistory } from "../../dynamodb/change-history.ts";
import { toTime } from "../../dynamodb/formats.ts";
import type { ChangedItems, ChangedRequest } from "../../dynamodb/table.ts";
import type { Author } from "../history/change-entry.ts";

/** A key as it is stored and returned. Times are RFC 3339 in UTC, with milliseconds. */
export interface Key {
  key_id: string;
  /** A secret of 64 characters. It is never logged. */
  v_code: string;
  created_at: string;
  updated_at: string;
}

export interface KeyPageRequest {
  limit?: number | undefined;
  after?: string | undefined;
  prefix?: string | undefined;
}

/** A key and its history. */
export interface KeyWithHistory {
  /** `undefined` if the key has been deleted. */
  key: Key | undefined;
  history: StoredHistory;
}

export interface KeyPage<K = Key> {
  keys: K[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** The number of items read for the page. */
  examined: number;
}

/** `created`: the pair was stored. `unchanged`: exactly this pair already existed. `taken`: the `key_id` has another `v_code`. */
export type CreateOutcome = { outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" };

export type ReplaceOutcome = { outcome: "replaced"; key: Key } | { outcome: "not found" | "changed" };

export type DeleteOutcome = "deleted" | "not found" | "changed";

/** The versions in which a key may be changed; `undefined` allows any version. See `versionOf`. */
type ExpectedVersions = readonly string[] | undefined;

export interface KeyStore {
  /**
   * Returns at most `limit` keys, or as many as fit into a response, in the table's own order. The cost depends on what is
   * returned, not on the size of the table. With a `prefix`, returns only keys whose `key_id` begins with it. That reads up to 4 MB
   * of the table per page, and the page may have few keys or none even if there is a next page.
   */
  list(page: KeyPageRequest): Promise<KeyPage>;
  /** Like `list`, with the history of each key. */
  listWithHistory(page: KeyPageRequest): Promise<KeyPage<Key & { history: StoredHistory }>>;
  /** Stores the pair unless the `key_id` exists. If calls are simultaneous, exactly one returns `created`. */
  create(pair: Pick<Key, "key_id" | "v_code">, author: Author): Promise<CreateOutcome>;
  get(keyId: string): Promise<Key | undefined>;
  /** Returns a key with its history. The history of a deleted key can still be found for some time. */
  getWithHistory(keyId: string): Promise<KeyWithHistory | undefined>;
  /** Replaces the `v_code` of a key. If a key has another version but already has this `v_code`, the outcome is also `replaced`. */
  replace(pair: Pick<Key, "key_id" | "v_code">, author: Author, versions?: ExpectedVersions): Promise<ReplaceOutcome>;
  delete(keyId: string, author: Author, versions?: ExpectedVersions): Promise<DeleteOutcome>;
  /** Reads one step of a shard, most recently changed keys first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
  /**
   * Removes the history of a deleted key, which has been stored elsewhere, and lets the key's tombstone expire.
   *
   * @param deletedAt the time of the deletion; nothing happens if the key has been changed since
   */
  forget(keyId: string, deletedAt: string): Promise<void>;
}

/** Returns the version of a key: its last change, which is later than all earlier changes. Clients treat it as opaque. */
export const versionOf = ({ updated_at }: Pick<Key, "updated_at">): string => Date.parse(updated_at).toString(36);

/** Returns the `updated_at` of a key with this version; `undefined` if no key can have it. */
export const updatedAtOf = (version: string): string | undefined => {
  const time = /^[\da-z]{1,9}$/.test(version) ? toTime(Number.parseInt(version, 36)) : undefined;
  return time !== undefined && versionOf({ updated_at: time }) === version ? time : undefined;
};
