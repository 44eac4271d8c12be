const minuteMilliseconds = 60_000;

/** The minute of the clock that contains a time (Unix milliseconds): `2026-11-21T10:15Z`. */
export const minuteOf = (now: number): string => `${new Date(now).toISOString().slice(0, 16)}Z`;

/** The whole seconds from a time (Unix milliseconds) until the next minute has begun: 1 to 60. */
export const secondsToNextMinute = (now: number): number =>
  Math.ceil((minuteMilliseconds - (now % minuteMilliseconds)) / 1000);
