/** How many requests per minute can be allowed. */
export const limitRange = { min: 1, max: 100_000 };

/** The requests that a token may send in one minute of the clock. */
export interface Allowance {
  /** When the minute begins: RFC 3339, UTC, without seconds. */
  minute: string;
  /** How many requests it may send in that minute. */
  limit: number;
}

/** How many requests of one token have been counted in one minute. */
export interface Counter {
  /** The id of the allowance and the minute, joined by a slash. */
  minute_id: string;
  taken: number;
}

export interface LimitStore {
  /**
   * Takes one request, exactly once, from the allowance of a token or of a series of rotated ones. Returns how many have been
   * taken, including this one, or `undefined` if none was left. Gives up after a second.
   */
  take(limitId: string, allowance: Allowance): Promise<number | undefined>;
}
