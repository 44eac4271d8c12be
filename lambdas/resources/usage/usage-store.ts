import type { Refusal } from "./refusal.ts";

/** The outcome of a token's calls in one hour. */
export interface UsageHour {
  /** When it begins: RFC 3339, UTC, with milliseconds. */
  hour: string;
  /** The number of calls by class of status, such as `2xx`. Each call is in exactly one. */
  statuses: Record<string, number>;
  /** The number of calls by error code. */
  codes: Record<string, number>;
  /** The number of calls from an address that is not the token's. */
  leak_signals: number;
  /** The last refusals, one for each reason and address. */
  refusals: Refusal[];
  /** The first and the last call that was admitted; absent if there was none. */
  first_used_at?: string;
  last_used_at?: string;
}

/** The last time that a token's correct secret came from a wrong address, and which address. */
export interface Leak {
  token_id: string;
  time: string;
  source_ip: string;
}

export interface UsageStore {
  /** Adds what a batch of log lines says about one token in one hour, unless it was added before. `batch` identifies the lines. */
  add(tokenId: string, hour: UsageHour, batch: string): Promise<void>;
  /** Records a leak, unless a later one of the same token has been recorded. */
  noteLeak(leak: Leak): Promise<void>;
  /** A token's hours from the one that begins at `since`, in order. Hours without calls are left out. */
  hours(tokenId: string, since: string): Promise<UsageHour[]>;
  /** The tokens that leaked at `since` or later. */
  leaks(since: string): Promise<Leak[]>;
}

/** What the store keeps in every item of its table, besides the counts and refusals of an hour. */
export interface UsageRecord {
  /** A token's id, or the place where leaks are noted. */
  subject: string;
  /** The beginning of the hour, or the id of the token that leaked. */
  entry: string;
  first_used_at?: string;
  last_used_at?: string;
  /** When and from which address a token leaked last. */
  seen_at?: string;
  source_ip?: string;
}
