import type { Rights } from "../../dynamodb/rights.ts";

/** A call that came with a token's right secret and was refused. */
export interface Refusal {
  /** RFC 3339, UTC, with milliseconds. */
  time: string;
  /** The error's code in the catalogue. */
  code: string;
  status: number;
  /** The address that the service saw. */
  source_ip: string;
  route: string;
  /** The address was not the token's: whoever has the secret may not be whom it was given to. */
  leak: boolean;
}

/** What became of a token's calls in one hour. */
export interface UsageHour {
  /** Its beginning: RFC 3339, UTC, with milliseconds. */
  hour: string;
  /** How many calls there were of each class of status, `2xx`. Each call is in one. */
  statuses: Record<string, number>;
  /** How many calls were answered with each error. */
  codes: Record<string, number>;
  /** How many calls came from an address that is not the token's. */
  leak_signals: number;
  /** The last refusals, one of a reason and an address. */
  refusals: Refusal[];
  /** The first and the last call whose token was let through; absent if there was none. */
  first_used_at?: string;
  last_used_at?: string;
}

/** That a token's right secret came from a wrong address: the last time, and from where. */
export interface Leak {
  token_id: string;
  time: string;
  source_ip: string;
}

export interface UsageStore {
  /** Adds what a batch of log lines has of one token in one hour, unless that was added before. `batch` identifies the lines. */
  add(tokenId: string, hour: UsageHour, batch: string): Promise<void>;
  /** Notes a leak, unless a later one of the same token is noted. */
  noteLeak(leak: Leak): Promise<void>;
  /** A token's hours from the one that begins at `since` on, in their order. Hours without calls are left out. */
  hours(tokenId: string, since: string): Promise<UsageHour[]>;
  /** The tokens that leaked at `since` or later. */
  leaks(since: string): Promise<Leak[]>;
}

export const usageStoreRights: Rights<UsageStore> = {
  add: ["UpdateItem"],
  noteLeak: ["UpdateItem"],
  hours: ["Query"],
  leaks: ["Query"],
};
