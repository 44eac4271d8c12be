import type { Run } from "./execute.ts";
import type { CreatePlant } from "./functions.ts";
import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import { runSchedule } from "./run-schedule.ts";
import { type EnvironmentPlan, type Fate, type Operation, promptFate, type Schedule } from "./schedule.ts";
import { ordersUpTo, scheduleOf, withOneFault } from "./small-scope.ts";

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
interface Exploration {
  failure?: Failure;
  schedules: number;
}

/** Examines schedules one after the other, up to the first that fails. */
export const explore = async ({ from, to, orders }: Scope, plant?: CreatePlant): Promise<Exploration> => {
  const all = orders === undefined ? undefined : ordersUpTo(orders);
  let schedules = 0;
  for (let seed = from; seed < to; seed += 1) {
    const order = all?.[seed];
    const first = order ? scheduleOf(seed, order) : generateSchedule(seed);
    const failure = await examine(first, plant);
    schedules += 1;
    if (failure) return { failure, schedules };
    for (const schedule of order ? withOneFault(await runSchedule(first, plant)) : []) {
      const other = await examine(schedule, plant);
      schedules += 1;
      if (other) return { failure: other, schedules };
    }
  }
  return { schedules };
};

/**
 * A failure with the same kind of first problem, of the smallest schedule that was found: with fewer operations, fewer faults and
 * less waiting. Each step removes something, and is kept if the schedule still fails, until no step succeeds.
 */
export const shrinkFailure = async (failure: Failure, plant?: CreatePlant): Promise<Failure> => {
  const kind = kindOf(failure.problems[0]);
  let smallest = failure;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerOnes(smallest.run.schedule)) {
      const found = await examine(candidate, plant);
      if (!found?.problems.some((problem) => kindOf(problem) === kind)) continue;
      smallest = found;
      isSmaller = true;
      break;
    }
  }
  return smallest;
};

/** A problem without its numbers and names. */
export const kindOf = (problem = ""): string =>
  problem.replace(/: [[{].*$/s, "").replace(/[0-9a-f]{8}-[\da-f-]{27}|[0-9A-Z]{26}|#?[\d.]+/g, "…");

/** Where a schedule comes from: the small scope or a random seed, with a planted bug or without. */
interface Source {
  orders?: number | undefined;
  plant?: string | undefined;
}

/** A report of a failure: the problems, the smallest schedule, and the trace of its run. */
export const failureReport = ({ seed, problems, run }: Failure, { orders, plant }: Source = {}): string => {
  const ordersOption = orders === undefined ? "" : ` --orders ${orders}`;
  const plantOption = plant === undefined ? "" : ` --plant "${plant}"`;
  return [
    `Seed ${seed} fails:`,
    ...problems.map((problem) => `  ${shortened(problem)}`),
    "The smallest schedule that fails like this:",
    ...scheduleLines(run.schedule).map((line) => `  ${line}`),
    "Its trace:",
    ...run.chronicle.lines().map((line) => `  ${shortened(line)}`),
    `Replay it with: npm run lab -- simulation --seed ${seed} --schedules 1${ordersOption}${plantOption}`,
  ].join("\n");
};

const shortened = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}…` : text);

const scheduleLines = ({ setup, environments, operations, startInMinute }: Schedule): string[] => [
  `setup ${JSON.stringify(setup)}, start at ${startInMinute} ms, environments ${JSON.stringify(environments)}`,
  ...operations.map(
    ({ id, client, environment, pause, call, fates }) =>
      `#${id} client ${client}, environment ${environment}, after ${pause} ms: ${JSON.stringify(call)} ${fates.map(fateText).join(" ")}`,
  ),
];

const fateText = ({ deliveries, answer, answerDelay, kill }: Fate): string =>
  `[${deliveries.join("+") || "never"} ms, ${answer} +${answerDelay}${kill === undefined ? "" : `, killed when ${kill}`}]`;

function* smallerOnes(schedule: Schedule): Generator<Schedule> {
  const { operations, environments, setup } = schedule;
  const change = (index: number, changes: Partial<Operation>): Schedule => ({
    ...schedule,
    operations: operations.map((one, position) => (position === index ? { ...one, ...changes } : one)),
  });

  for (const index of operations.keys()) yield { ...schedule, operations: operations.toSpliced(index, 1) };
  for (const [index, { fates }] of operations.entries()) {
    if (fates.some(isFault)) yield change(index, { fates: [] });
    for (const [position, fate] of fates.entries()) {
      if (isFault(fate)) yield change(index, { fates: fates.with(position, promptFate) });
    }
  }
  for (const key of setup.keys)
    yield { ...schedule, setup: { ...setup, keys: setup.keys.filter((one) => one !== key) } };
  for (const [index, { clockOffset, timersStandStill }] of environments.entries()) {
    const replaceWith = (plan: EnvironmentPlan) => ({ ...schedule, environments: environments.with(index, plan) });
    if (clockOffset !== 0) yield replaceWith({ clockOffset: 0, timersStandStill });
    if (!timersStandStill) yield replaceWith({ clockOffset, timersStandStill: true });
  }
  for (const [index, operation] of operations.entries()) {
    for (const name of ["pause", "environment", "client"] as const) {
      if (operation[name] > 0) yield change(index, { [name]: 0 });
    }
  }
  if (schedule.deletions.length > 0) yield { ...schedule, deletions: [] };
  if (schedule.startInMinute > 0) yield { ...schedule, startInMinute: 0 };
}

const isFault = ({ deliveries, answer, kill }: Fate): boolean =>
  deliveries.length !== 1 || (deliveries[0] ?? 0) > 100 || answer !== "delivered" || kill !== undefined;
