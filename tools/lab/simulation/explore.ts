import type { Run } from "./execute.ts";
import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import { runSchedule } from "./run-schedule.ts";
import { emptySetup, type Operation, promptFate, type Schedule } from "./schedule.ts";
import { ordersUpTo, scheduleOf, withOneFault } from "./small-scope.ts";

/** A schedule that went wrong. */
export interface Failure {
  seed: number;
  problems: string[];
  run: Run;
}

/** A range of schedules to examine. */
export interface Task {
  /** The first seed, or the first order of operations. */
  from: number;
  to: number;
  /** Examines every order of up to this many operations, with every single fault. Default: random schedules. */
  orders?: number | undefined;
  /** The name of a planted bug. */
  plant?: string | undefined;
}

/** The first failure among some schedules, and how many were examined. */
interface Exploration {
  failure?: Failure;
  schedules: number;
}

/** Runs a schedule and judges it. */
const examine = async (schedule: Schedule, plant: string | undefined): Promise<Failure | undefined> => {
  const run = await runSchedule(schedule, plant);
  const problems = judge(run);
  return problems.length > 0 ? { seed: schedule.seed, problems, run } : undefined;
};

/** Examines schedules one after another until one fails. */
export const explore = async ({ from, to, orders, plant }: Task): Promise<Exploration> => {
  const all = orders === undefined ? undefined : ordersUpTo(orders);
  let schedules = 0;
  for (let seed = from; seed < to; seed += 1) {
    const order = all?.[seed];
    const first = order ? scheduleOf(seed, order) : generateSchedule(seed);
    for (const schedule of [first, ...(order ? withOneFault(await runSchedule(first, plant)) : [])]) {
      const failure = await examine(schedule, plant);
      schedules += 1;
      if (failure) return { failure, schedules };
    }
  }
  return { schedules };
};

/**
 * Shrinks a schedule as long as it fails with the same kind of first problem. Each step removes something, and is kept if the
 * schedule still fails. Returns the failure of the smallest schedule that was found.
 */
export const shrinkFailure = async (failure: Failure, plant?: string): Promise<Failure> => {
  const kind = kindOf(failure.problems[0]);
  for (const candidate of smallerOnes(failure.run.schedule)) {
    const found = await examine(candidate, plant);
    if (found?.problems.some((problem) => kindOf(problem) === kind)) return shrinkFailure(found, plant);
  }
  return failure;
};

/** Removes numbers and names from a problem. */
export const kindOf = (problem = ""): string =>
  problem.replace(/: [[{].*$/s, "").replace(/[0-9a-f]{8}-[\da-f-]{27}|[0-9A-Z]{26}|#?[\d.]+/g, "…");

function* smallerOnes(schedule: Schedule): Generator<Schedule> {
  const { operations, clockOffsets } = schedule;
  for (const index of operations.keys()) yield { ...schedule, operations: operations.toSpliced(index, 1) };
  for (const [index, operation] of operations.entries()) {
    const { fates, pause } = operation;
    const change = (changes: Partial<Operation>): Schedule => ({
      ...schedule,
      operations: operations.with(index, { ...operation, ...changes }),
    });
    if (fates.length > 0) yield change({ fates: fates.slice(0, -1) });
    for (const [position, fate] of fates.entries())
      if (fate !== promptFate) yield change({ fates: fates.with(position, promptFate) });
    if (pause > 0) yield change({ pause: 0 });
  }
  const plain = { setup: emptySetup, clockOffsets: clockOffsets.map(() => 0), deletions: [] };
  for (const part of Object.entries({ ...plain, startInMinute: 0 })) {
    const simpler = { ...schedule, ...Object.fromEntries([part]) };
    if (JSON.stringify(simpler) !== JSON.stringify(schedule)) yield simpler;
  }
}

/** Returns a report of a failure: the problems, the schedule, and the trace of its run. */
export const failureReport = ({ seed, problems, run }: Failure, { orders, plant }: Partial<Task> = {}): string => {
  const ordersOption = orders === undefined ? "" : ` --orders ${orders}`;
  const plantOption = plant === undefined ? "" : ` --plant "${plant}"`;
  const { operations, ...rest } = run.schedule;
  const indented = (lines: readonly string[]) =>
    lines.map((line) => `  ${line.length > 400 ? `${line.slice(0, 400)}…` : line}`);
  return [
    `Seed ${seed} fails:`,
    ...indented(problems),
    "The smallest schedule that fails like this:",
    ...indented([rest, ...operations].map((part) => JSON.stringify(part))),
    "Its trace:",
    ...indented(run.chronicle.lines()),
    `Replay it with: npm run lab -- simulation --seed ${seed} --schedules 1${ordersOption}${plantOption}`,
  ].join("\n");
};
