import { useSyncExternalStore } from "react";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** A time relative to now: "in 3 hours". Whole units, rounded down, with a margin for the seconds that a page takes to load. */
export const relativeTime = (time: string, now: number): string => {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of units) {
    const count = Math.trunc(Math.abs(seconds) / size + 0.01);
    if (count > 0) return relativeFormat.format(Math.sign(seconds) * count, unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
};

/** "2026-11-21 14:00:00 UTC" */
export const utcTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** The time in the language and the time zone of this browser. */
export const localTime = (time: string): string => localFormat.format(new Date(time));

const tickMs = 15_000;

const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

/** The current time in milliseconds, updated while the page is open. Rounded up to the next tick, so that what has just happened is in the past. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / tickMs) * tickMs);
