import { randomUUID } from "node:crypto";
import type { Schedule } from "../assembly/schedules.ts";
import type { Clock } from "../clock/clock.ts";
import type { InvokeByArn } from "../lambda/outcome.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";

/** One run of a schedule. */
export interface ScheduledRun {
  schedule: string;
  /** The function that was invoked. */
  function_name: string;
  /** When the run was due. */
  due: string;
  /** Why the run failed, if it did. */
  error: string | undefined;
}

export interface Scheduler {
  /** Replaces the schedules. */
  run: (schedules: Schedule[], invoke: InvokeByArn) => void;
  /**
   * Moves the clock forward. Each schedule that is due in this period runs at its time, one after the other, before the clock moves
   * on.
   */
  advance: (milliseconds: number) => Promise<ScheduledRun[]>;
  /** Starts no further runs. A run in progress ends with its function. */
  close: () => void;
}

interface SchedulerOptions {
  clock: Clock;
  environment: AwsEnvironment;
  log: (text: string) => void;
}

// A timer can't wait for more than 24 days, and it doesn't count the time when the machine was asleep.
const longestTimer = 600_000;

/** Runs schedules while the service runs. Runs that fall due while it is stopped are skipped. */
export const createScheduler = ({ clock, environment, log }: SchedulerOptions): Scheduler => {
  const start = clock.now();
  let schedules: Schedule[] = [];
  let invoke: InvokeByArn = () => undefined;
  let handledUntil = start;
  let timer: NodeJS.Timeout | undefined;
  let advancing: Promise<unknown> | undefined;
  let isClosed = false;

  const earliest = (): { due: number; schedules: Schedule[] } | undefined => {
    const times = schedules.map((schedule) => schedule.nextTime(handledUntil, start));
    const due = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(due) ? { due, schedules: schedules.filter((_, index) => times[index] === due) } : undefined;
  };

  const perform = async (schedule: Schedule, due: number): Promise<ScheduledRun> => {
    const { name, target } = schedule;
    const outcome = await invoke(target, scheduledPayload(schedule, due, environment));
    const error = outcome?.failed === false ? undefined : errorIn(outcome?.payload);
    const run = { schedule: name, function_name: target.split(":")[6] ?? target, due: new Date(due).toISOString() };
    if (error !== undefined) log(`Scheduler: ${name}, due at ${run.due}, failed: ${error}`);
    return { ...run, error };
  };

  const runDue = (): void => {
    const now = clock.now();
    // A machine that was asleep may have missed the same schedule many times.
    const missed = new Map<Schedule, number>();
    for (let next = earliest(); next !== undefined && next.due <= now; next = earliest()) {
      handledUntil = next.due;
      for (const schedule of next.schedules) missed.set(schedule, next.due);
    }
    for (const [schedule, due] of missed) void perform(schedule, due);
    arm();
  };

  const arm = (): void => {
    clearTimeout(timer);
    const next = earliest();
    if (next === undefined || advancing !== undefined || isClosed) return;
    timer = setTimeout(runDue, Math.min(Math.max(next.due - clock.now(), 0), longestTimer)).unref();
  };

  const advance = async (milliseconds: number): Promise<ScheduledRun[]> => {
    const target = clock.now() + milliseconds;
    const runs: ScheduledRun[] = [];
    for (let next = earliest(); next !== undefined && next.due <= target; next = earliest()) {
      await clock.moveTo(next.due);
      handledUntil = next.due;
      for (const schedule of next.schedules) runs.push(await perform(schedule, next.due));
      if (isClosed) return runs;
    }
    await clock.moveTo(target);
    return runs;
  };

  return {
    run(...next) {
      [schedules, invoke] = next;
      handledUntil = Math.max(handledUntil, clock.now());
      arm();
    },
    advance(milliseconds) {
      // Waits for the previous call, even if it fails.
      const runs = Promise.resolve(advancing)
        .catch(() => {})
        .then(() => advance(milliseconds));
      advancing = runs;
      arm();
      const resume = () => {
        if (advancing !== runs) return;
        advancing = undefined;
        arm();
      };
      runs.then(resume, resume);
      return runs;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};

/** Returns a failure's message without its stack trace, which the function has already logged. */
const errorIn = (payload: string | undefined): string => {
  if (payload === undefined) return "the function no longer exists";
  const { errorType, errorMessage }: { errorType?: string; errorMessage?: string } = JSON.parse(payload);
  return `${errorType ?? "Error"}: ${errorMessage}`;
};

/**
 * Returns what a schedule's function receives: the schedule's input with Scheduler's keywords replaced, or Scheduler's own event.
 */
const scheduledPayload = (
  { arn, input }: Pick<Schedule, "arn" | "input">,
  due: number,
  { accountId, region }: AwsEnvironment,
): string => {
  const time = `${new Date(due).toISOString().slice(0, 19)}Z`;
  const executionId = randomUUID();
  // Documented, except that `detail` is a string, which was observed.
  const event = {
    version: "0",
    id: executionId,
    "detail-type": "Scheduled Event",
    source: "aws.scheduler",
    account: accountId,
    time,
    region,
    resources: [arn],
    detail: "{}",
  };
  return (input ?? JSON.stringify(event))
    .replaceAll("<aws.scheduler.schedule-arn>", arn)
    .replaceAll("<aws.scheduler.scheduled-time>", time)
    .replaceAll("<aws.scheduler.execution-id>", executionId)
    .replaceAll("<aws.scheduler.attempt-number>", "1");
};
