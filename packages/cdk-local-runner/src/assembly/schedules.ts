import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { functionType } from "./functions.ts";
import { isAllowed, type Rights, trusts } from "./rights.ts";
import { type DeployedStacks, readAt, refusal, resourceType } from "./stack-resources.ts";

/** A schedule that invokes a function. */
export interface Schedule {
  name: string;
  arn: string;
  nextTime: NextTime;
  /** The ARN of the function, or of its alias. */
  target: string;
  /** The input that the function receives. Without it, the function receives Scheduler's own event. */
  input: string | undefined;
}

const count = z.optional(z.coerce.number());

const scheduleType = resourceType({
  type: "AWS::Scheduler::Schedule",
  nameProperty: "Name",
  attributes: ({ name, arn }) => ({
    Arn: arn("scheduler", `schedule/default/${name}`),
  }),
  ignored: { "it is the schedule's name already": "Name" },
  schema: z.strictObject({
    ScheduleExpression: z.string(),
    ScheduleExpressionTimezone: z.optional(z.enum(["UTC", "Etc/UTC"], "only schedules in UTC run locally")),
    State: z._default(z.enum(["ENABLED", "DISABLED"]), "ENABLED"),
    GroupName: z.optional(z.literal("default")),
    // A schedule with a window runs at the beginning of its window.
    FlexibleTimeWindow: z.strictObject({ Mode: z.enum(["OFF", "FLEXIBLE"]), MaximumWindowInMinutes: count }),
    Target: z.strictObject({
      Arn: z.string(),
      RoleArn: z.string(),
      Input: z.optional(z.string()),
      // Only concerns requests that don't reach Lambda. In a local run, all of them do.
      RetryPolicy: z.optional(z.strictObject({ MaximumEventAgeInSeconds: count, MaximumRetryAttempts: count })),
    }),
  }),
});

export const scheduleTypes = [scheduleType];

interface SchedulesContext {
  rightsOf: (roleArn: string) => Rights;
  /** Returns the function's own ARN for the ARN of an alias or a version. */
  functionBehind: (arn: string) => string;
}

/** Reads the enabled schedules. A schedule that AWS couldn't run stops the start. */
export const readSchedules = (stacks: DeployedStacks, { rightsOf, functionBehind }: SchedulesContext): Schedule[] => {
  const functionArns = stacks.all(functionType).map(({ attributes }) => attributes.Arn);
  const schedules = stacks.readEach(scheduleType, ({ resource, properties }) => {
    const { ScheduleExpression, State, Target } = properties;
    if (!functionArns.includes(functionBehind(Target.Arn))) {
      throw refusal(resource, `its target ${Target.Arn} is not a function of this app`);
    }
    if (!trusts(stacks, Target.RoleArn, "scheduler.amazonaws.com")) {
      throw refusal(resource, "its role does not let scheduler.amazonaws.com assume it");
    }
    if (!isAllowed(rightsOf(Target.RoleArn), "lambda:InvokeFunction", Target.Arn)) {
      throw refusal(resource, `its role may not invoke ${Target.Arn}`);
    }
    const { ref: name, attributes } = resource;
    const nextTime = readAt(resource, () => readScheduleExpression(ScheduleExpression));
    const schedule = { name, arn: attributes.Arn ?? name, nextTime, target: Target.Arn, input: Target.Input };
    return State === "ENABLED" ? [schedule] : [];
  });
  return schedules.flat();
};

/** Returns the first time after `time` at which a schedule is due, or undefined if there is none. A rate counts from `start`. */
type NextTime = (time: number, start: number) => number | undefined;

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

type Field = [name: string, first: number, last: number];

const fields: Field[] = [
  ["minutes", 0, 59],
  ["hours", 0, 23],
  ["day of the month", 1, 31],
  ["month", 1, 12],
  ["day of the week", 1, 7],
  // AWS documents the last year.
  ["year", 1970, 2199],
];

/** Parses the fields of a cron expression. Each may be `*` or a list of numbers. One of the two day fields must be `?`. */
const readCron = (text: string): NextTime => {
  const words = text.trim().split(/\s+/);
  if (words.length !== fields.length) throw new LocalError(`cron(${text}) does not have six fields.`);
  if ((words[2] === "?") === (words[4] === "?")) {
    throw new LocalError(`cron(${text}) must have ? either as the day of the month or as the day of the week.`);
  }
  const [minutes = [], hours = [], ...allowed] = fields.map((field, place) => readField(words[place] ?? "", field));
  const minutesOfDay = hours.flatMap((hour) => minutes.map((one) => hour * 60 + one));
  const isAllowed = (date: Date): boolean =>
    [date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay() + 1, date.getUTCFullYear()].every((value, place) =>
      allowed[place]?.includes(value),
    );

  return (time) => {
    const first = (Math.floor(time / minute) + 1) * minute;
    for (let start = Math.floor(first / day) * day; start < Date.UTC(2200, 0, 1); start += day) {
      if (!isAllowed(new Date(start))) continue;
      const found = minutesOfDay.map((one) => start + one * minute).find((one) => one >= first);
      if (found !== undefined) return found;
    }
    return undefined;
  };
};

/** Returns the values that a field allows, in order. */
const readField = (word: string, [name, first, last]: Field): number[] => {
  const isAny = word === "*" || (word === "?" && name.startsWith("day"));
  if (isAny) return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const values = word.split(",").map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN));
  if (values.every((value) => value >= first && value <= last)) return values.toSorted((left, right) => left - right);
  throw new LocalError(`${word} as the ${name} of a cron expression does not run locally.`);
};
