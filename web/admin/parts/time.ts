import { useSyncExternalStore } from "react";

export const dayMs = 86_400_000;

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/**
 * Returns a time relative to now, such as "in 3 hours". Units are rounded down, with a margin for the seconds that a page takes to
 * load.
 */
export const relativeTime = (time: string, now: number): string => {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of units) {
    const count = Math.trunc(Math.abs(seconds) / size + 0.01);
    if (count > 0) return relativeFormat.format(Math.sign(seconds) * count, unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
};

/** Returns a date as YYYY-MM-DD in the browser's time zone. This is the Swedish date format. */
export const dateOf = (date: Date): string => date.toLocaleDateString("sv");

export const today = (): string => dateOf(new Date());

/** Returns a time as "2026-11-21 14:00:00 UTC". */
export const utcTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** Creates a format that splits a time into its parts. Default: this browser's time zone. */
export const zoneFormat = (timeZone?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
    timeZoneName: "shortOffset",
  });

const browserFormat = zoneFormat();

interface LocalMoment {
  /** "2026-11-21" */
  date: string;
  /** "19:30:00" */
  clock: string;
  /** "GMT+5:30" */
  offset: string;
}

/** Returns a time's date, clock and offset in a time zone. */
export const localMoment = (time: string, format = browserFormat): LocalMoment => {
  const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    clock: `${parts.hour}:${parts.minute}:${parts.second}`,
    offset: format.resolvedOptions().timeZone === "UTC" ? "UTC" : `${parts.timeZoneName}`,
  };
};

/**
 * Returns a time in this browser's time zone, such as "2026-11-21 19:30:00 GMT+5:30". The format is unambiguous and the same
 * everywhere.
 */
export const localTime = (time: string, format = browserFormat): string => {
  const { date, clock, offset } = localMoment(time, format);
  return `${date} ${clock} ${offset}`;
};

/**
 * Returns the time zone's long name, such as "India Standard Time (GMT+5:30)". Browsers' short names are partly outdated, such as
 * Asia/Calcutta.
 */
export const zoneName = (time: string, format = browserFormat): string => {
  const { timeZone } = format.resolvedOptions();
  if (timeZone === "UTC") return "UTC";
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "long" }).formatToParts(new Date(time));
  return `${parts.find(({ type }) => type === "timeZoneName")?.value} (${localMoment(time, format).offset})`;
};

/** Returns a duration such as "90 minutes", in the largest unit without a fraction. */
export const durationInWords = (seconds: number): string => {
  const [unit, size] = seconds % 3_600 === 0 ? ["hour", 3_600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1];
  return (seconds / size).toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
};

const tickMs = 15_000;

const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

/**
 * Returns the current time in milliseconds, updated while the page is open. The time is rounded up to the next tick, so that recent
 * events lie in the past.
 */
export const useNow = (): number => useSyncExternalStore(subscribe, nextTick, nextTick);

const nextTick = (): number => Math.ceil(Date.now() / tickMs) * tickMs;
