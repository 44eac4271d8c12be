/** A key in a list, where no v_code is told. Times are RFC 3339, UTC. */
export interface ListedKey {
  key_id: string;
  created_at: string;
  updated_at: string;
}

export interface Key extends ListedKey {
  v_code: string;
}

export interface KeyPage {
  keys: ListedKey[];
  next_cursor: string | null;
}
