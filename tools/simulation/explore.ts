import type { Run } from "./execute.ts";
import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import type { CreatePlant } from "./open-functions.ts";
import { runSchedule } from "./run-schedule.ts";
import type { Call, Schedule } from "./schedule.ts";
import { shrink } from "./shrink.ts";
import { ordersUpTo, ownTokenOrders, scheduleOf, withOneFault } from "./small-scope.ts";

/** A schedule that went wrong. */
export interface Failure {
  seed: number;
  problems: string[];
  run: Run;
}

/** Runs a schedule and judges it. */
export const examine = async (schedule: Schedule, plant?: CreatePlant): Promise<Failure | undefined> => {
  const run = await runSchedule(schedule, plant);
  const problems = judge(run);
  return problems.length > 0 ? { seed: schedule.seed, problems, run } : undefined;
};

/** Schedules to examine. */
export interface Scope {
  /** Seeds, or orders of operations. */
  from: number;
  to: number;
  /** Every order of up to this many operations, with every single fault; random schedules otherwise. */
  orders?: number | undefined;
}

/** The first failure among some schedules, and how many were examined. */
export interface Exploration {
  failure?: Failure;
  schedules: number;
}

/** Examines schedules one after the other, up to the first that fails. */
export const explore = async (scope: Scope, plant?: CreatePlant): Promise<Exploration> => {
  let schedules = 0;
  const found = async (schedule: Schedule): Promise<Failure | undefined> => {
    schedules += 1;
    return examine(schedule, plant);
  };
  const orders = scope.orders === undefined ? undefined : ordersUpTo(scope.orders);
  for (let seed = scope.from; seed < scope.to; seed += 1) {
    const order = orders?.[seed];
    const failure = order
      ? await firstWithFault(scheduleOf(seed, order), found, plant)
      : await found(generateSchedule(seed));
    if (failure) return { failure, schedules };
  }
  return { schedules };
};

/**
 * Examines orders of clients' calls for their own tokens, without faults and with each single fault at each attempt.
 */
export const exploreOwnTokens = async (
  orders: readonly (readonly Call[])[] = ownTokenOrders,
  plant?: CreatePlant,
): Promise<Exploration> => {
  let schedules = 0;
  const found = (schedule: Schedule): Promise<Failure | undefined> => {
    schedules += 1;
    return examine(schedule, plant);
  };
  for (const [seed, order] of orders.entries()) {
    const failure = await firstWithFault(scheduleOf(seed, order), found, plant);
    if (failure) return { failure, schedules };
  }
  return { schedules };
};

const firstWithFault = async (
  schedule: Schedule,
  found: (schedule: Schedule) => Promise<Failure | undefined>,
  plant?: CreatePlant,
): Promise<Failure | undefined> => {
  const failure = await found(schedule);
  if (failure) return failure;
  for (const faulty of withOneFault(await runSchedule(schedule, plant))) {
    const other = await found(faulty);
    if (other) return other;
  }
  return undefined;
};

/** A failure with the same kind of first problem, of the smallest schedule that has one. */
export const shrinkFailure = async (failure: Failure, plant?: CreatePlant): Promise<Failure> => {
  const kind = kindOf(failure.problems[0]);
  const fails = async (schedule: Schedule): Promise<boolean> => {
    const found = await examine(schedule, plant);
    return found?.problems.some((problem) => kindOf(problem) === kind) ?? false;
  };
  return (await examine(await shrink(failure.run.schedule, fails), plant)) ?? failure;
};

/** A problem without its numbers and names. */
export const kindOf = (problem = ""): string =>
  problem.replace(/: [[{].*$/s, "").replace(/[0-9a-f]{8}-[\da-f-]{27}|[0-9A-Z]{26}|#?[\d.]+/g, "…");
