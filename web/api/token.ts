/** A token as the admin door tells of it. Times are RFC 3339, UTC; null for what has not happened. */
export interface Token {
  token_id: string;
  /** The one address that may use it. */
  ip: string;
  comment: string;
  state: "active" | "expired" | "revoked";
  issued_at: string;
  issued_by: string;
  expires_at: string | null;
  /** How many requests it may send in a minute; null if that is not limited. */
  rate_limit: number | null;
  /** When its limit was last changed. */
  updated_at: string | null;
  updated_by: string | null;
  /** The token that this one succeeds by rotation. */
  predecessor_id: string | null;
  rotated_at: string | null;
  rotated_by: string | null;
  /** The token that succeeds this one by rotation. */
  successor_id: string | null;
  revoked_at: string | null;
  revoked_by: string | null;
  /** To within five minutes. */
  last_used_at: string | null;
}

/** A token that was issued just now, with its text: the only time that it is told. */
export interface IssuedToken extends Token {
  token: string;
}

export interface TokenPage {
  tokens: Token[];
  next_cursor: string | null;
}

/** What a token is issued on. */
export interface TokenTerms {
  ip: string;
  comment: string;
  expires_at: string | null;
  rate_limit: RateLimitEntry;
}

/** A limit as it was typed: text that is no number goes to the service as it stands, which says what is wrong with it. */
export type RateLimitEntry = number | string | null;

/** The caller's own address as the service sees it, and the address that was asked about, as a token would have it. */
export interface AddressAnswer {
  seen_ip: string | null;
  ip?: string | null;
}
