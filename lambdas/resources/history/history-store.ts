import type { StoredHistory } from "../../dynamodb/history.ts";
import type { ChangedItems, ChangedRequest } from "../../dynamodb/table.ts";

/** A key that was deleted. */
export interface ArchivedKey {
  key_id: string;
  /** When it was deleted. */
  ended_at: string;
}

export interface HistoryStore {
  /** Stores the history of a deleted key for 90 days after its deletion. Repeating it changes nothing. */
  archive(deleted: ArchivedKey, history: StoredHistory): Promise<void>;
  /** The histories of keys that had this id, oldest first. */
  ofKey(keyId: string): Promise<StoredHistory[]>;
  /** A step through the deleted keys of a shard, the most recently deleted first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
}
