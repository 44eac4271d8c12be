/** A key as it is stored and returned. Times are RFC 3339, UTC, with milliseconds. */
export interface Key {
  key_id: string;
  /** A secret of 64 characters: never logged. */
  v_code: string;
  created_at: string;
  updated_at: string;
}

export interface KeyPage {
  keys: Key[];
  /** The `key_id` after which the next page begins; absent on the last page. */
  next?: string;
}

/** `created` now, `unchanged` because the very same pair existed, or `taken` by another `v_code`. */
export type CreateOutcome = { outcome: "created" | "unchanged"; key: Key } | { outcome: "taken" };

export interface KeyStore {
  /** At most `limit` keys in the table's own order. Costs what it returns, however large the table. */
  list(page: { limit: number; after?: string | undefined }): Promise<KeyPage>;
  /** Stores the pair unless the `key_id` exists. Of simultaneous calls exactly one is `created`. */
  create(pair: Pick<Key, "key_id" | "v_code">): Promise<CreateOutcome>;
  get(keyId: string): Promise<Key | undefined>;
  /** Replaces the `v_code` of a key that exists. */
  replace(pair: Pick<Key, "key_id" | "v_code">): Promise<Key | undefined>;
  /** Deletes a key and returns whether it existed. */
  delete(keyId: string): Promise<boolean>;
}
