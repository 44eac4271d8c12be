import type { Usage, UsageHour } from "../../../api/types.ts";
import { localMoment, zoneFormat } from "../../../parts/time.ts";
import { usageHours } from "../../../records/token-queries.ts";

const hourMs = 3_600_000;

/** The ranges to choose from. */
export const ranges = {
  day: { hours: 24, text: "24 hours", header: "Hour by hour" },
  week: { hours: usageHours, text: "7 days", header: "Six hours at a time" },
} as const;

export type Range = keyof typeof ranges;

export const outcomes = ["answered", "refused", "failed"] as const;

/** The outcome of a call: answered, rejected (4xx), or failed in the service (5xx). */
export type Outcome = (typeof outcomes)[number];

export interface Period {
  /** RFC 3339. */
  from: string;
  to: string;
  counts: Record<Outcome, number>;
  /** How many calls were rejected or failed, by error. */
  codes: Record<string, number>;
}

const browserFormat = zoneFormat();

/**
 * Returns the periods of a range, including those without calls. The service counts by UTC hour, so a period consists of whole UTC
 * hours. The periods of a week begin with the first UTC hour after 00:00, 06:00, 12:00 or 18:00 in the viewer's time zone, so that
 * they follow the viewer's days. In most zones, days then begin at 00:00; in zones that are half an hour off, at 00:30.
 */
export const periodsOf = (
  { from, hours }: Pick<Usage, "from" | "hours">,
  range: Range,
  format = browserFormat,
): Period[] => {
  const end = Date.parse(from) + usageHours * hourMs;
  const start = end - ranges[range].hours * hourMs;
  const begins = Array.from({ length: ranges[range].hours }, (_, index) => start + index * hourMs).filter(
    (time, index) => range === "day" || index === 0 || quarterAt(time, format) !== quarterAt(time - hourMs, format),
  );
  return begins.map((begin, index) => {
    const next = begins[index + 1] ?? end;
    const within = hours.filter(({ hour }) => Date.parse(hour) >= begin && Date.parse(hour) < next);
    return {
      from: new Date(begin).toISOString(),
      to: new Date(next).toISOString(),
      counts: countsOf(within),
      codes: sum(within.map(({ codes }) => codes)),
    };
  });
};

/** Returns the quarter of the day that a time is in. */
const quarterAt = (time: number, format: Intl.DateTimeFormat): number => {
  const { clock } = localMoment(new Date(time).toISOString(), format);
  return Math.floor(Number(clock.slice(0, 2)) / 6);
};

const countsOf = (hours: UsageHour[]): Record<Outcome, number> => {
  const counts = { answered: 0, refused: 0, failed: 0 };
  for (const [status, count] of Object.entries(sum(hours.map(({ statuses }) => statuses)))) {
    counts[outcomeOf(status)] += count;
  }
  return counts;
};

const outcomeOf = (status: string): Outcome =>
  status.startsWith("4") ? "refused" : status.startsWith("5") ? "failed" : "answered";

const sum = (all: Record<string, number>[]): Record<string, number> => {
  const total: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
  }
  return total;
};

/** Adds up the periods. */
export const totalOf = (periods: Period[]): Record<Outcome, number> => ({
  answered: 0,
  refused: 0,
  failed: 0,
  ...sum(periods.map(({ counts }) => counts)),
});

export const callsIn = ({ counts: { answered, refused, failed } }: Period): number => answered + refused + failed;

/** Returns the top of the scale: a round number that is at least as high as the highest bar. */
export const topOf = (highest: number): number => {
  if (highest <= 4) return 4;
  const magnitude = 10 ** Math.floor(Math.log10(highest));
  return magnitude * ([1, 2, 4, 6, 8, 10].find((step) => step * magnitude >= highest) ?? 10);
};

const ticks = { day: /^(00|06|12|18)/, week: /^00/ };

/** Returns the label under a bar, if it has one: the time every six hours, or the date of each day, such as "Nov 14". */
export const tickOf = ({ from }: Period, range: Range, format = browserFormat): string | undefined => {
  const { date, clock } = localMoment(from, format);
  if (!ticks[range].test(clock)) return undefined;
  if (range === "day") return clock.slice(0, 5);
  return new Date(date).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" });
};

/** Formats a period as "2026-11-14, 15:00–16:00". */
export const spanOf = ({ from, to }: Period, format = browserFormat): string => {
  const [begin, end] = [localMoment(from, format), localMoment(to, format)];
  return `${begin.date}, ${begin.clock.slice(0, 5)}–${end.clock.slice(0, 5)}`;
};

/** Formats a period as "2026-11-14, 15:00–16:00 UTC". */
export const utcSpanOf = ({ from, to }: Period): string =>
  `${from.slice(0, 10)}, ${from.slice(11, 16)}–${to.slice(11, 16)} UTC`;

/** Explains why the periods don't begin on the hour, or returns an empty string if they do. */
export const boundaryNote = (from: string, format = browserFormat): string => {
  const minutes = localMoment(from, format).clock.slice(3, 5);
  if (minutes === "00") return "";
  return `Calls are counted per hour of UTC, so each bar starts ${Number(minutes)} minutes past the hour.`;
};

/** Describes counts as "12 answered, 1 failed". */
export const countsText = ({ counts }: Pick<Period, "counts">): string =>
  outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome].toLocaleString("en")} ${outcome}`)
    .join(", ") || "no calls";
