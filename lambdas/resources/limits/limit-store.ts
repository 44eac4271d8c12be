import type { Rights } from "../../dynamodb/rights.ts";

/** What a token may send in one minute of the clock. */
export interface Allowance {
  /** When the minute begins: RFC 3339, UTC, without seconds. */
  minute: string;
  /** How many requests it may send in it. */
  limit: number;
}

export interface LimitStore {
  /**
   * Takes one request from a token's allowance, atomically: answers how many have been taken with it, or `undefined` if none
   * was left. Gives up after a second.
   */
  take(tokenId: string, allowance: Allowance): Promise<number | undefined>;
}

export const limitStoreRights: Rights<LimitStore> = {
  // The table holds nothing but counters, so a bound to attributes would keep nothing from anybody.
  take: ["UpdateItem"],
};
