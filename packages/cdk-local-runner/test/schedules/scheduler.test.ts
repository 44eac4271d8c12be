import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Schedule } from "../../src/assembly/schedules.ts";
import { readScheduleExpression } from "../../src/assembly/schedules.ts";
import { openClock } from "../../src/clock/clock.ts";
import type { InvokeByArn } from "../../src/lambda/outcome.ts";
import type { Sent } from "../../src/messages/sent.ts";
import { createScheduler, type ScheduledRun } from "../../src/schedules/scheduler.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { apiResources } from "../support/assemblies.ts";
import { noticeAssembly } from "../support/notice-assembly.ts";
import { runningService, temporaryDirectory, writeFunctions } from "../support/services.ts";

const day = 86_400_000;

const passTime = async (service: { invokeUrl: string }, body: object) => {
  const response = await fetch(`${service.invokeUrl}/clock`, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  const passed: { runs: ScheduledRun[]; sent: Sent[] } = JSON.parse(await response.text());
  return passed;
};

/** Returns the times that the function `daily` sees. */
const timesIn = async (service: Awaited<ReturnType<typeof runningService>>): Promise<Record<string, number>> =>
  JSON.parse((await service.invoke("daily", { ask: true })).payload);

test("runs each due schedule in order when the clock moves by days, reports what was sent, and survives a restart", async () => {
  const directory = await temporaryDirectory();
  const options = { assembly: noticeAssembly(directory), dataDirectory: join(directory, "data") };
  const service = await runningService(options);
  const { runs, sent } = await passTime(service, { days: 3 });

  expect(runs).toEqual(runs.map(({ due }) => ({ schedule: "Daily", function_name: "daily", due })));
  expect(runs).toHaveLength(3);
  const dues: string[] = runs.map(({ due }) => due);
  expect(dues.map((due) => due.slice(11))).toEqual(Array(3).fill("06:00:00.000Z"));
  const details = service.sent().flatMap((one) => (one.service === "events" ? [one.detail] : []));
  expect(details).toEqual(
    dues.map((due) => ({
      now: expect.stringMatching(`^${due.slice(0, 16)}`),
      due: `${due.slice(0, 19)}Z`,
      by: "aws.scheduler",
    })),
  );
  expect(sent).toEqual(service.sent());

  const { now, date, text } = await timesIn(service);
  for (const time of [now, date, service.now()]) expect(Number(time) - Date.now()).toBeGreaterThan(3 * day - 60_000);
  expect(Number(now) - Number(text)).toBeLessThan(60_000);
  await service.close();

  const again = await runningService(options);
  expect((await timesIn(again)).now).toBeGreaterThanOrEqual(Number(now));
  expect(again.logged()).toContain("ahead");
});

test("reports a failed run with its error", async () => {
  const assembly = noticeAssembly(await temporaryDirectory(), { FAILS: "yes" });
  const service = await runningService({ assembly });
  const { runs } = await passTime(service, { hours: 24 });

  expect(runs).toMatchObject([{ error: "Error: not yet" }]);
  expect(service.logged()).toMatch(/Scheduler: Daily, due at \S+T06:00:00.000Z, failed: Error: not yet\n/);
});

const schedule = (name: string, expression: string): Schedule => ({
  name,
  arn: `arn:${name}`,
  nextTime: readScheduleExpression(expression),
  target: `function:${name}`,
  input: '{"at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>"}',
});

test("invokes a function at its scheduled time, with its input, while the service runs", async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 22, 5, 59, 30), toFake: ["Date", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const calls: string[] = [];
  const scheduler = createScheduler({
    clock: await openClock(await temporaryDirectory()),
    environment: localAwsEnvironment(),
    log: (text) => expect.unreachable(text),
  });
  const invoke: InvokeByArn = async (arn, payload) => {
    calls.push(`${arn} ${payload}`);
    return { requestId: "", payload: "null", failed: false, log: "", durationMilliseconds: 0 };
  };
  scheduler.run([schedule("a", "cron(0 6 * * ? *)"), schedule("b", "rate(10 minutes)")], invoke);
  vi.advanceTimersByTime(29_999);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(calls).toEqual(['function:a {"at":"2026-11-22T06:00:00Z","by":"arn:a"}']);
  vi.advanceTimersByTime(20 * 60_000);
  expect(calls.slice(1)).toEqual([
    'function:b {"at":"2026-11-22T06:09:30Z","by":"arn:b"}',
    'function:b {"at":"2026-11-22T06:19:30Z","by":"arn:b"}',
  ]);
  // The machine was asleep for an hour, so timers have stood still.
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(10 * 60_000);
  expect(calls.slice(3)).toEqual(['function:b {"at":"2026-11-22T07:29:30Z","by":"arn:b"}']);
  // A newly added schedule doesn't run for a time in the past.
  vi.advanceTimersByTime(5 * 60_000);
  scheduler.run([schedule("c", "cron(32 7 * * ? *)")], invoke);
  vi.advanceTimersByTime(60_000);
  expect(calls).toHaveLength(4);
  scheduler.close();
  vi.advanceTimersByTime(day);
  expect(calls).toHaveLength(4);
});

test("runs schedules in order of their times, and reports those whose function no longer exists", async () => {
  const calls: string[] = [];
  const clock = await openClock(await temporaryDirectory());
  const scheduler = createScheduler({ clock, environment: localAwsEnvironment(), log: () => {} });
  onTestFinished(scheduler.close);
  scheduler.run([schedule("a", "rate(2 hours)"), schedule("b", "rate(3 hours)")], async (arn) => {
    calls.push(`${arn.slice(-1)}${Math.round((clock.now() - Date.now()) / 3_600_000)}`);
    return { requestId: "", payload: "null", failed: false, log: "", durationMilliseconds: 0 };
  });
  // Two simultaneous requests are handled one after the other.
  await Promise.all([scheduler.advance(5 * 3_600_000), scheduler.advance(2 * 3_600_000)]);
  expect(calls).toEqual(["a2", "b3", "a4", "a6", "b6"]);

  scheduler.run([schedule("a", "rate(2 hours)")], () => undefined);
  const [missing] = await scheduler.advance(3 * 3_600_000);
  expect(missing).toMatchObject({ error: "the function no longer exists" });
});

test("moves the clock forward permanently, and never back", async () => {
  const folder = await temporaryDirectory();
  const clock = await openClock(folder);
  expect(clock.aheadMilliseconds()).toBe(0);
  await clock.moveTo(clock.now() + day);
  const { now } = await openClock(folder);
  expect(now() - Date.now()).toBeGreaterThan(day - 1000);

  await clock.moveTo(Date.now());
  expect(clock.now() - Date.now()).toBeGreaterThan(day - 1000);
  expect((await stat(join(folder, "clock.json"))).mode & 0o077).toBe(0);
});

test("names a damaged clock file instead of starting in the past", async () => {
  const folder = await temporaryDirectory();
  for (const text of ["", "{}", '{"aheadMilliseconds":-1}']) {
    await writeFile(join(folder, "clock.json"), text);
    await expect(openClock(folder)).rejects.toThrow(/clock\.json.*is damaged/);
  }
});

test("after two days, the gateway's time matches the function's clock, and timeouts still use real time", async () => {
  const code = `exports.handler = async ({ requestContext }, context) => ({
    gateway: requestContext.timeEpoch,
    shown: requestContext.time,
    own: Date.now(),
    remaining: context.getRemainingTimeInMillis(),
    parts: [new Date(0).getTime(), new Date(2026, 0, 2).getDate(), new Date() instanceof Date, Date.UTC(1970, 0, 1)],
  });`;
  const assembly = await writeFunctions(
    await temporaryDirectory(),
    { clock: code },
    apiResources({ "GET /time": "clock" }),
  );
  const service = await runningService({ assembly });
  await fetch(`${service.invokeUrl}/clock`, { method: "POST", body: '{"days":2}' });
  const seen = JSON.parse(await (await fetch(`${service.baseUrl}/time`)).text());

  for (const time of [seen.gateway, seen.own, service.now()])
    expect(time - Date.now()).toBeGreaterThan(2 * day - 60_000);
  expect(seen.gateway).toBeLessThanOrEqual(seen.own);
  expect(seen.shown).toContain(`${new Date(seen.gateway).getUTCDate()}`.padStart(2, "0"));
  expect(seen.remaining).toBeLessThanOrEqual(3000);
  expect(seen.parts).toEqual([0, 2, true, 0]);
});
