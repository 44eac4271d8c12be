import { decodeCursor, encodeCursor } from "../shared/validation/paging.ts";
import { clockDifferenceMilliseconds, restMilliseconds } from "./changes.ts";
import { listIn } from "./position.ts";

const day = 24 * 60 * 60 * 1000;

/** Maximum lag of the index behind its table. AWS documents no limit for this lag, which is usually well below a second. */
export const indexMilliseconds = 21_000;

/**
 * Changes that are younger than this are not shown yet. A younger change could appear after changes with a later time have been
 * read: because clocks differ, because an operation takes time, and because the index lags behind its table.
 */
export const holdbackMilliseconds = restMilliseconds + indexMilliseconds;

/** How long a cursor works after the changes before it were read. */
const cursorMilliseconds = 30 * day;

/** How long the tombstones of a table with changes stay: longer than a cursor works. */
export const feedTombstoneSeconds = (cursorMilliseconds + 5 * day) / 1000;

/** The decoded content of a cursor. */
export interface FeedCursor {
  /** Identifies the table and the partitions. */
  feed: string;
  /** Changes up to this time have been read, in Unix milliseconds; 0 if this is the first pass. */
  since: number;
  /** The end of the current pass, inclusive; `undefined` between two passes. */
  until?: number | undefined;
  /** Where the pass continues: the number of the partition, and the position in it, if it has begun. */
  place?: number | undefined;
  after?: string | undefined;
}

export const feedCursor = ({ feed, since, until, place, after }: FeedCursor): string =>
  encodeCursor(JSON.stringify([feed, since, ...(until === undefined ? [] : [until, place, after ?? null])]));

/** Decodes a cursor. Returns `undefined` if the service cannot have issued it. */
export const parseFeedCursor = (cursor: string): FeedCursor | undefined => {
  const [feed, since, until, place, after, ...others] = listIn(decodeCursor(cursor) ?? "");
  if (typeof feed !== "string" || !isTime(since) || others.length > 0) return undefined;
  if (until === undefined) return { feed, since };
  const isPosition = after === null || typeof after === "string";
  if (!isTime(until) || until <= since || !isPosition || !Number.isSafeInteger(place) || Number(place) < 0) {
    return undefined;
  }
  return { feed, since, until, place: Number(place), ...(after !== null && { after }) };
};

/**
 * Checks whether a pass can begin or continue here: all tombstones that it has to show must still be there. A first pass shows none,
 * but the tombstones since its beginning must still be there when it ends. No pass can end in the future, apart from clock
 * differences.
 */
export const canContinue = ({ since, until = since }: FeedCursor, now: number): boolean => {
  const isNew = until === 0;
  const isComplete = (since || until) >= now - cursorMilliseconds;
  return isNew || (isComplete && until <= now - holdbackMilliseconds + clockDifferenceMilliseconds);
};

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
