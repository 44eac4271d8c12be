const minuteMilliseconds = 60_000;

/** The minute of the clock that a time (Unix milliseconds) lies in: `2026-11-21T10:15Z`. */
export const minuteOf = (now: number): string => `${new Date(now).toISOString().slice(0, 16)}Z`;

/** How many whole seconds after a time (Unix milliseconds) the next minute has begun: 1 to 60. */
export const secondsToNextMinute = (now: number): number =>
  Math.ceil((minuteMilliseconds - (now % minuteMilliseconds)) / 1000);
