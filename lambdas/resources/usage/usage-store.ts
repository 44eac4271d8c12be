import { optional, text, time } from "../../dynamodb/formats.ts";
import type { RecordOf } from "../../dynamodb/records.ts";
import { count, countedLeakAddresses, entry, ip, leakAddresses } from "./formats.ts";
import type { CountedLeakAddress, LeakAddress, Refusal } from "./refusal.ts";

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
  /** Those addresses: at most 20 are stored. */
  leaks: CountedLeakAddress[];
  /** The last refusals, one for each reason and address. */
  refusals: Refusal[];
  /** The first and the last call that was admitted; absent if there was none. */
  first_used_at?: string;
  last_used_at?: string;
}

/** The addresses from which a token's correct secret came, although the token belongs to another address. */
export interface Leak {
  token_id: string;
  /** The last time, and the address. */
  time: string;
  source_ip: string;
  /** All addresses, up to 20. */
  addresses: LeakAddress[];
  /** The last time for an address that is not listed; absent if all are. */
  unlisted_at?: string;
}

export interface UsageStore {
  /** Adds what a batch of log lines says about one token in one hour, unless it was added before. `batch` identifies the lines. */
  add(tokenId: string, hour: UsageHour, batch: string): Promise<void>;
  /** Records where a leaked token was used from. Recording the same again changes nothing. Returns the addresses that are named. */
  noteLeak(tokenId: string, addresses: readonly LeakAddress[]): Promise<string[]>;
  /** A token's hours from the one that begins at `since`, in order. Hours without calls are left out. */
  hours(tokenId: string, since: string): Promise<UsageHour[]>;
  /** The tokens that leaked at `since` or later, and the addresses since then. */
  leaks(since: string): Promise<Leak[]>;
}

/** The fields of the table's items, besides the counts by status and by error and the refusals of an hour. */
export const usageFields = {
  /** A token's id, or the place where leaks are noted. */
  subject: text(),
  /** The beginning of the hour, or the id of the token that leaked. */
  entry,
  first_used_at: optional(time),
  last_used_at: optional(time),
  leak_signals: optional(count),
  /** The addresses from which the token leaked in the hour, with their calls, as JSON. */
  leak_addresses: optional(countedLeakAddresses.format),
  /** When and from which address a token leaked last. */
  seen_at: optional(time),
  source_ip: optional(ip),
  /** All addresses from which a token leaked, as JSON. */
  addresses: optional(leakAddresses.format),
  /** When a token last leaked from an address that is not in the list of addresses. */
  unlisted_at: optional(time),
};

export type UsageRecord = RecordOf<typeof usageFields>;
