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

/** A time relative to now: "in 3 hours". Whole units, rounded down, with a margin for the seconds that a page takes to load. */
export const relativeTime = (time: string, now: number): string => {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of units) {
    const count = Math.trunc(Math.abs(seconds) / size + 0.01);
    if (count > 0) return relativeFormat.format(Math.sign(seconds) * count, unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
};

/** A date as YYYY-MM-DD in the time zone of the browser, which is how Swedish writes dates. */
export const dateOf = (date: Date): string => date.toLocaleDateString("sv");

export const today = (): string => dateOf(new Date());

/** "2026-11-21 14:00:00 UTC" */
export const utcTime = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** How the parts of a time are found, in the time zone of this browser unless another one is given. */
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

const ownFormat = zoneFormat();

interface LocalMoment {
  /** "2026-11-21" */
  date: string;
  /** "19:30:00" */
  clock: string;
  /** "GMT+5:30" */
  offset: string;
}

/** A time as the calendar and the clock of a time zone show it. */
export const localMoment = (time: string, format = ownFormat): LocalMoment => {
  const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    clock: `${parts.hour}:${parts.minute}:${parts.second}`,
    offset: format.resolvedOptions().timeZone === "UTC" ? "UTC" : `${parts.timeZoneName}`,
  };
};

/** A time in the time zone of this browser: "2026-11-21 19:30:00 GMT+5:30". Everywhere in the same form, and read by everybody in the same way. */
export const localTime = (time: string, format = ownFormat): string => {
  const { date, clock, offset } = localMoment(time, format);
  return `${date} ${clock} ${offset}`;
};

/** "India Standard Time (GMT+5:30)". By its long name, because browsers know some zones by the names of former days: Asia/Calcutta. */
export const zoneName = (time: string, format = ownFormat): string => {
  const { timeZone } = format.resolvedOptions();
  if (timeZone === "UTC") return "UTC";
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "long" }).formatToParts(new Date(time));
  return `${parts.find(({ type }) => type === "timeZoneName")?.value} (${localMoment(time, format).offset})`;
};

/** "90 minutes", in the largest unit that leaves no fraction. */
export const durationInWords = (seconds: number): string => {
  const [unit, size] = seconds % 3_600 === 0 ? ["hour", 3_600] : seconds % 60 === 0 ? ["minute", 60] : ["second", 1];
  return (seconds / size).toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
};

const tickMs = 15_000;

const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

/** The current time in milliseconds, updated while the page is open. Rounded up to the next tick, so that what has just happened is in the past. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / tickMs) * tickMs);
