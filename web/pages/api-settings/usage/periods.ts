import type { Usage, UsageHour } from "../../../api/types.ts";

const hourMs = 3_600_000;

/** The ranges to choose from, and how many hours a bar covers. */
export const ranges = {
  day: { hours: 24, hoursPerPeriod: 1, text: "24 hours" },
  week: { hours: 168, hoursPerPeriod: 6, text: "7 days" },
} as const;

export type Range = keyof typeof ranges;

/** The longest range, which is also how far back the service looks. */
export const longestHours = ranges.week.hours;

export const outcomes = ["answered", "refused", "failed"] as const;

/** The outcome of a call: answered, refused (4xx), or failed in the service (5xx). */
export type Outcome = (typeof outcomes)[number];

export interface Period {
  /** RFC 3339. */
  from: string;
  to: string;
  counts: Record<Outcome, number>;
  /** The number of refused and failed calls by error. */
  codes: Record<string, number>;
}

/**
 * The periods of a range, including those without calls. Periods of six hours start at 00:00, 06:00, 12:00 and 18:00 UTC, so
 * that none covers parts of two days.
 */
export const periodsOf = ({ from, hours }: Pick<Usage, "from" | "hours">, range: Range): Period[] => {
  const lengthMs = ranges[range].hoursPerPeriod * hourMs;
  const end = Date.parse(from) + longestHours * hourMs;
  const start = end - ranges[range].hours * hourMs;
  const begin = start - (start % lengthMs);
  return Array.from({ length: Math.ceil((end - begin) / lengthMs) }, (_, index) => {
    const [periodBegin, periodEnd] = [begin + index * lengthMs, begin + (index + 1) * lengthMs];
    const within = hours.filter(({ hour }) => Date.parse(hour) >= periodBegin && Date.parse(hour) < periodEnd);
    return {
      from: new Date(periodBegin).toISOString(),
      to: new Date(periodEnd).toISOString(),
      counts: countsOf(within),
      codes: sum(within.map(({ codes }) => codes)),
    };
  });
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

/** The sum of the periods. */
export const totalOf = (periods: Period[]): Record<Outcome, number> => ({
  answered: 0,
  refused: 0,
  failed: 0,
  ...sum(periods.map(({ counts }) => counts)),
});

export const callsIn = ({ counts: { answered, refused, failed } }: Period): number => answered + refused + failed;

/** The top of the scale: a round number that is at least as high as the highest bar. */
export const topOf = (highest: number): number => {
  if (highest <= 4) return 4;
  const magnitude = 10 ** Math.floor(Math.log10(highest));
  return magnitude * ([1, 2, 4, 6, 8, 10].find((step) => step * magnitude >= highest) ?? 10);
};

const dayFormat = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

const ticks = { day: /T(00|06|12|18)/, week: /T00/ };

/** The label under a bar, if it has one: the time every six hours, or the date of each day, in UTC. */
export const tickOf = ({ from }: Period, range: Range): string | undefined => {
  if (!ticks[range].test(from)) return undefined;
  return range === "day" ? from.slice(11, 16) : dayFormat.format(new Date(from));
};

/** "Nov 14, 15:00–16:00" */
export const spanOf = ({ from, to }: Period): string =>
  `${dayFormat.format(new Date(from))}, ${from.slice(11, 16)}–${to.slice(11, 16)}`;

/** "12 answered, 1 failed" */
export const countsText = ({ counts }: Pick<Period, "counts">): string =>
  outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome].toLocaleString("en")} ${outcome}`)
    .join(", ") || "no calls";
