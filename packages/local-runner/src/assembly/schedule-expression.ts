import { LocalError } from "../support/local-error.ts";

/** When a schedule runs. */
export type ScheduleExpression = { kind: "cron"; fields: CronFields } | { kind: "rate"; intervalMilliseconds: number };

const unitMilliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads the expression of a schedule: `cron(…)` with its six fields, or `rate(…)`.
 *
 * @example readScheduleExpression("rate(5 hours)") // { kind: "rate", intervalMilliseconds: 18_000_000 }
 *
 * @throws {LocalError} if it is of another kind, such as `at(…)`, or not valid
 */
export const readScheduleExpression = (text: string): ScheduleExpression => {
  const [, kind, content = ""] = /^(cron|rate)\((.*)\)$/.exec(text) ?? [];
  if (kind === "cron") return { kind, fields: readCron(content) };
  const [, value, unit] = /^([1-9]\d*) (minute|hour|day)s?$/.exec(content) ?? [];
  if (kind === "rate" && (unit === "minute" || unit === "hour" || unit === "day")) {
    return { kind, intervalMilliseconds: Number(value) * unitMilliseconds[unit] };
  }
  throw new LocalError(`the schedule expression ${text} is neither cron(…) nor rate(…).`);
};

/**
 * The first time after `time` at which a schedule is due; undefined if there is none.
 *
 * @param start from when on a rate is counted
 */
export const nextTime = (expression: ScheduleExpression, time: number, start: number): number | undefined => {
  if (expression.kind === "cron") return timeAfter(expression.fields, time);
  const { intervalMilliseconds } = expression;
  return start + (Math.floor((time - start) / intervalMilliseconds) + 1) * intervalMilliseconds;
};

/** What each field of a cron expression allows. Without days of the month, those of the week count, and vice versa. */
export interface CronFields {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  daysOfMonth: ReadonlySet<number> | undefined;
  months: ReadonlySet<number>;
  /** From 1 for Sunday to 7. */
  daysOfWeek: ReadonlySet<number> | undefined;
  years: ReadonlySet<number>;
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

// Documented, like the whole syntax.
const lastYear = 2199;

interface Field {
  name: string;
  first: number;
  last: number;
  /** Names for the values from `first` on. */
  names?: string[];
}

/**
 * Reads the fields of a cron expression: minutes, hours, day of the month, month, day of the week, year. Each may have `*`,
 * values, names, ranges, steps and lists; one of the two days is `?`.
 *
 * @throws {LocalError} if it has anything else, such as `L`, `W` or `#`
 */
export const readCron = (text: string): CronFields => {
  const fields = text.trim().split(/\s+/);
  const [minutes = "", hours = "", dayOfMonth = "", month = "", dayOfWeek = "", year = ""] = fields;
  if (fields.length !== 6) throw new LocalError(`cron(${text}) does not have six fields.`);
  if ((dayOfMonth === "?") === (dayOfWeek === "?")) {
    throw new LocalError(`cron(${text}) must have ? either as the day of the month or as the day of the week.`);
  }
  return {
    minutes: readField(minutes, { name: "minutes", first: 0, last: 59 }),
    hours: readField(hours, { name: "hours", first: 0, last: 23 }),
    daysOfMonth:
      dayOfMonth === "?" ? undefined : readField(dayOfMonth, { name: "day of the month", first: 1, last: 31 }),
    months: readField(month, { name: "month", first: 1, last: 12, names: monthNames }),
    daysOfWeek:
      dayOfWeek === "?"
        ? undefined
        : readField(dayOfWeek, { name: "day of the week", first: 1, last: 7, names: dayNames }),
    years: readField(year, { name: "year", first: 1970, last: lastYear }),
  };
};

const readField = (text: string, field: Field): ReadonlySet<number> =>
  new Set(
    text
      .split(",")
      .flatMap((part) => readPart(part, field))
      .toSorted((left, right) => left - right),
  );

const readPart = (part: string, { name, first, last, names = [] }: Field): number[] => {
  const refuse = (): never => {
    throw new LocalError(`${part} as the ${name} of a cron expression does not run locally.`);
  };
  const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? refuse();
  const numberOf = (word: string): number => {
    const place = names.indexOf(word.toUpperCase());
    const value = place >= 0 ? first + place : Number(/^\d+$/.test(word) ? word : Number.NaN);
    return value >= first && value <= last ? value : refuse();
  };
  const [from = "", to, ...others] = range.split("-");
  if (others.length > 0 || step === "0") return refuse();
  const start = range === "*" ? first : numberOf(from);
  const end = range === "*" || (to === undefined && step !== undefined) ? last : numberOf(to ?? from);
  if (end < start) return refuse();
  const interval = Number(step ?? 1);
  return Array.from({ length: Math.floor((end - start) / interval) + 1 }, (_, index) => start + index * interval);
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** The first full minute after `time` that the fields allow, in UTC; undefined if there is none. */
export const timeAfter = (fields: CronFields, time: number): number | undefined => {
  const first = (Math.floor(time / minute) + 1) * minute;
  const end = Date.UTC(lastYear + 1, 0, 1);
  for (let start = Math.floor(first / day) * day; start < end; start += day) {
    if (!isDayAllowed(fields, new Date(start))) continue;
    for (const hour of fields.hours) {
      for (const minuteOfHour of fields.minutes) {
        const found = start + (hour * 60 + minuteOfHour) * minute;
        if (found >= first) return found;
      }
    }
  }
  return undefined;
};

const isDayAllowed = ({ years, months, daysOfMonth, daysOfWeek }: CronFields, date: Date): boolean =>
  years.has(date.getUTCFullYear()) &&
  months.has(date.getUTCMonth() + 1) &&
  (daysOfMonth?.has(date.getUTCDate()) ?? daysOfWeek?.has(date.getUTCDay() + 1) ?? false);
