import { useSyncExternalStore } from "react";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** A time as it lies from now: "in 3 hours". Whole units, rounded down, but for the seconds that a page takes to show it. */
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

/** The time in the words and the zone of this browser. */
export const localTime = (time: string): string => localFormat.format(new Date(time));

const tickMs = 15_000;

const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

/** The present time in ms, that goes on while the page is open. At the end of its tick: what has just happened is past. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / tickMs) * tickMs);
