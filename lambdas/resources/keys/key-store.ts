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

export interface KeyPage {
  keys: Key[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** How many items of the table were read for it. */
  examined: number;
}

/** `created` now, `unchanged` because the very same pair existed, or `taken` by another `v_code`. */
export type CreateOutcome = { outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" };

export type ReplaceOutcome = { outcome: "replaced"; key: Key } | { outcome: "not found" | "changed" };

export type DeleteOutcome = "deleted" | "not found" | "changed";

/** The versions of which a key must have one to be changed; without them, any key can be changed. See `versionOf`. */
type ExpectedVersions = readonly string[] | undefined;

export interface KeyStore {
  /**
   * At most `limit` keys, or as many as fit into a response, in the table's own order. Costs what it returns, however large the
   * table. With a `prefix`, only keys whose `key_id` begins with it: that reads up to 4 MB of the table for a page, which may
   * have few keys or none although there is a next one.
   */
  list(page: KeyPageRequest): Promise<KeyPage>;
  /** Stores the pair unless the `key_id` exists. Of simultaneous calls exactly one is `created`. */
  create(pair: Pick<Key, "key_id" | "v_code">): Promise<CreateOutcome>;
  get(keyId: string): Promise<Key | undefined>;
  /** Replaces the `v_code` of a key. A key of another version that has this `v_code` already is `replaced`, too. */
  replace(pair: Pick<Key, "key_id" | "v_code">, versions?: ExpectedVersions): Promise<ReplaceOutcome>;
  delete(keyId: string, versions?: ExpectedVersions): Promise<DeleteOutcome>;
}
