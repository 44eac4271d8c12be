/** Returns a time in the form that records store: RFC 3339 in UTC with milliseconds. Times in this form can be sorted as strings. */
export const toTime = (unixMilliseconds: number): string => new Date(unixMilliseconds).toISOString();

/**
 * Returns `time`, or one millisecond after the previous time if that is later. The times of an item's changes only move forward.
 */
export const movedForward = (time: string, previous: string): string => {
  const next = toTime(Date.parse(previous) + 1);
  return time > next ? time : next;
};

/** Returns the Unix time in seconds after which DynamoDB may delete an item. */
export const deletableAfter = (time: string, keptSeconds: number): number =>
  Math.floor(Date.parse(time) / 1000) + keptSeconds;
