import { LocalError } from "../support/local-error.ts";
import { type CronFields, readCron, timeAfter } from "./cron.ts";

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
