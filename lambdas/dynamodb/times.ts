/*
 * Times as records have them: RFC 3339 in UTC with milliseconds. They sort as texts.
 */

export const toTime = (unixMilliseconds: number): string => new Date(unixMilliseconds).toISOString();

/** A time, or a millisecond after the previous one, whichever is later: the times of an item's changes only move forward. */
export const movedForward = (time: string, previous: string): string => {
  const next = toTime(Date.parse(previous) + 1);
  return time > next ? time : next;
};

/** The time (Unix, in seconds) from which DynamoDB may delete an item that is kept for a number of seconds. */
export const deletableAfter = (time: string, keptSeconds: number): number =>
  Math.floor(Date.parse(time) / 1000) + keptSeconds;
