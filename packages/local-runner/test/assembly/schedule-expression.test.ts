import { expect, test } from "vitest";
import { nextTime, readScheduleExpression } from "../../src/assembly/schedule-expression.ts";

const start = Date.UTC(2026, 10, 22, 12, 30, 15);

/** The next times after the start, as text. */
const times = (expression: string, count = 3): string[] => {
  const read = readScheduleExpression(expression);
  const found: string[] = [];
  let time: number | undefined = start;
  while (time !== undefined && found.length < count) {
    time = nextTime(read, time, start);
    if (time !== undefined) found.push(new Date(time).toISOString().slice(0, 16));
  }
  return found;
};

test.for([
  ["cron(0 6 * * ? *)", ["2026-11-23T06:00", "2026-11-24T06:00", "2026-11-25T06:00"]],
  ["cron(30,5 12-13 * * ? *)", ["2026-11-22T13:05", "2026-11-22T13:30", "2026-11-23T12:05"]],
  ["cron(*/20 * * * ? *)", ["2026-11-22T12:40", "2026-11-22T13:00", "2026-11-22T13:20"]],
  ["cron(50/5 23 ? * MON-FRI *)", ["2026-11-23T23:50", "2026-11-23T23:55", "2026-11-24T23:50"]],
  ["cron(0 0 ? JAN,3 1 2027)", ["2027-01-03T00:00", "2027-01-10T00:00", "2027-01-17T00:00"]],
  ["cron(0 0 29 2 ? *)", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
  ["cron(0 0 31 * ? *)", ["2026-12-31T00:00", "2027-01-31T00:00", "2027-03-31T00:00"]],
  ["rate(1 hour)", ["2026-11-22T13:30", "2026-11-22T14:30", "2026-11-22T15:30"]],
  ["rate(5 days)", ["2026-11-27T12:30", "2026-12-02T12:30", "2026-12-07T12:30"]],
] as const)("%s is due at its times in UTC", ([expression, expected]) => {
  expect(times(expression)).toEqual(expected);
});

test("a schedule for years that have passed is never due", () => {
  expect(times("cron(0 6 1 1 ? 2020-2025)")).toEqual([]);
});

test.for([
  ["at(2026-12-24T18:00:00)", /neither cron\(…\) nor rate\(…\)/],
  ["rate(0 minutes)", /neither cron\(…\) nor rate\(…\)/],
  ["rate(5 weeks)", /neither cron\(…\) nor rate\(…\)/],
  ["cron(0 6 * * *)", /does not have six fields/],
  ["cron(0 6 * * * *)", /must have \?/],
  ["cron(0 6 ? * ? *)", /must have \?/],
  ["cron(0 6 L * ? *)", /L as the day of the month/],
  ["cron(0 6 ? * 6#3 *)", /6#3 as the day of the week/],
  ["cron(60 6 * * ? *)", /60 as the minutes/],
  ["cron(0 9-7 * * ? *)", /9-7 as the hours/],
  ["cron(*/0 6 * * ? *)", /\*\/0 as the minutes/],
  ["cron(0 6 * FOO ? *)", /FOO as the month/],
] as const)("%s is refused by name", ([expression, message]) => {
  expect(() => readScheduleExpression(expression)).toThrow(message);
});
