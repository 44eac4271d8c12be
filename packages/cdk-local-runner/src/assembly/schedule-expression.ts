import { LocalError } from "../support/local-error.ts";

/** Returns the first time after `time` at which a schedule is due, or undefined if there is none. A rate counts from `start`. */
export type NextTime = (time: number, start: number) => number | undefined;

const minute = 60_000;
const day = 24 * 60 * minute;
const unitMilliseconds: Record<string, number> = { minute, hour: 60 * minute, day };

/**
 * Parses a schedule expression: `cron(…)` with its six fields, or `rate(…)`.
 *
 * @example readScheduleExpression("rate(5 hours)")(0, 0) // 18_000_000
 *
 * @throws {LocalError} if the expression is invalid or of another kind, such as `at(…)`
 */
export const readScheduleExpression = (text: string): NextTime => {
  const [, cron] = /^cron\((.*)\)$/.exec(text) ?? [];
  if (cron !== undefined) return readCron(cron);
  const [, value, unit = ""] = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(text) ?? [];
  const interval = Number(value) * (unitMilliseconds[unit] ?? Number.NaN);
  if (interval > 0) return (time, start) => start + (Math.floor((time - start) / interval) + 1) * interval;
  throw new LocalError(`the schedule expression ${text} is neither cron(…) nor rate(…).`);
};

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

// Documented, like the whole syntax.
const lastYear = 2199;

type Field = [name: string, first: number, last: number, names?: string[]];

const fields: Field[] = [
  ["minutes", 0, 59],
  ["hours", 0, 23],
  ["day of the month", 1, 31],
  ["month", 1, 12, monthNames],
  ["day of the week", 1, 7, dayNames],
  ["year", 1970, lastYear],
];

/**
 * Parses the fields of a cron expression. Each may have `*`, values, names, ranges, steps and lists. One of the two day fields must
 * be `?`.
 *
 * @throws {LocalError} if a field has anything else, such as `L`, `W` or `#`
 */
const readCron = (text: string): NextTime => {
  const words = text.trim().split(/\s+/);
  if (words.length !== fields.length) throw new LocalError(`cron(${text}) does not have six fields.`);
  if ((words[2] === "?") === (words[4] === "?")) {
    throw new LocalError(`cron(${text}) must have ? either as the day of the month or as the day of the week.`);
  }
  const allowed = fields.map((field, place) => {
    const word = words[place] ?? "";
    // If one of the two day fields is `?`, the other one decides.
    const isAny = word === "?" && (place === 2 || place === 4);
    return new Set((isAny ? "*" : word).split(",").flatMap((part) => readPart(part, field)));
  });
  const inOrder = (place: number) => [...(allowed[place] ?? [])].toSorted((left, right) => left - right);
  const minutesOfDay = inOrder(1).flatMap((hour) => inOrder(0).map((minuteOfHour) => hour * 60 + minuteOfHour));
  const isAllowed = (date: Date): boolean =>
    [
      undefined,
      undefined,
      date.getUTCDate(),
      date.getUTCMonth() + 1,
      date.getUTCDay() + 1,
      date.getUTCFullYear(),
    ].every((value, place) => value === undefined || allowed[place]?.has(value));

  return (time) => {
    const first = (Math.floor(time / minute) + 1) * minute;
    for (let start = Math.floor(first / day) * day; start < Date.UTC(lastYear + 1, 0, 1); start += day) {
      if (!isAllowed(new Date(start))) continue;
      const found = minutesOfDay.map((one) => start + one * minute).find((one) => one >= first);
      if (found !== undefined) return found;
    }
    return undefined;
  };
};

const readPart = (part: string, [name, first, last, names = []]: Field): number[] => {
  const refuse = (): never => {
    throw new LocalError(`${part} as the ${name} of a cron expression does not run locally.`);
  };
  const [, from = "", to, step] = /^([^/-]+)(?:-([^/-]+))?(?:\/([1-9]\d*))?$/.exec(part) ?? refuse();
  const numberOf = (word: string): number => {
    const place = names.indexOf(word.toUpperCase());
    const value = place >= 0 ? first + place : Number(/^\d+$/.test(word) ? word : Number.NaN);
    return value >= first && value <= last ? value : refuse();
  };
  const start = from === "*" ? first : numberOf(from);
  const end = to === undefined && (from === "*" || step !== undefined) ? last : numberOf(to ?? from);
  if (end < start || (from === "*" && to !== undefined)) return refuse();
  const interval = Number(step ?? 1);
  return Array.from({ length: Math.floor((end - start) / interval) + 1 }, (_, index) => start + index * interval);
};
