import type { Run } from "./execute.ts";
import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import type { Versions } from "./load-service.ts";
import { generateRecordSchedule } from "./records/generate.ts";
import { runSchedule } from "./run-schedule.ts";
import { emptySetup, type Operation, promptFate, type Schedule } from "./schedule.ts";

/** A schedule that went wrong. */
export interface Failure {
  seed: number;
  problems: string[];
  run: Run;
}

/** The seeds of the schedules to examine, and the versions of the service. */
export interface Task extends Versions {
  from: number;
  to: number;
  /** Whether the calls are made to the stores of records, rather than to the service. */
  isOfRecords?: boolean;
}

/** The first failure among some schedules, and how many were examined. */
interface Exploration {
  failure?: Failure;
  schedules: number;
}

/** Runs a schedule and judges it. */
const examine = async (schedule: Schedule, versions: Versions): Promise<Failure | undefined> => {
  const run = await runSchedule(schedule, versions);
  const problems = judge(run);
  return problems.length > 0 ? { seed: schedule.seed, problems, run } : undefined;
};

/** Examines schedules one after another until one fails. */
export const explore = async ({ from, to, isOfRecords, ...versions }: Task): Promise<Exploration> => {
  const generate = isOfRecords ? generateRecordSchedule : generateSchedule;
  for (let seed = from; seed < to; seed += 1) {
    const failure = await examine(generate(seed), versions);
    if (failure) return { failure, schedules: seed - from + 1 };
  }
  return { schedules: to - from };
};

/**
 * Shrinks a schedule as long as it fails with the same kind of first problem. Each step removes something, and is kept if the
 * schedule still fails. Returns the failure of the smallest schedule that was found.
 */
export const shrinkFailure = async (failure: Failure, versions: Versions): Promise<Failure> => {
  const kind = kindOf(failure.problems[0]);
  for (const candidate of smallerOnes(failure.run.schedule)) {
    const found = await examine(candidate, versions);
    if (found?.problems.some((problem) => kindOf(problem) === kind)) return shrinkFailure(found, versions);
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
  for (const part of Object.entries(plain)) {
    const simpler = { ...schedule, ...Object.fromEntries([part]) };
    if (JSON.stringify(simpler) !== JSON.stringify(schedule)) yield simpler;
  }
}

/** Returns a report of a failure: the problems, the schedule, and the trace of its run. */
export const failureReport = ({ seed, problems, run }: Failure, { plant, release }: Versions): string => {
  const plantOption = plant === undefined ? "" : ` --plant "${plant}"`;
  const { operations, ...rest } = run.schedule;
  const experiment = release ? "upgrade" : rest.isOfRecords ? "records" : "simulation";
  const indented = (lines: readonly string[]) =>
    lines.map((line) => `  ${line.length > 400 ? `${line.slice(0, 400)}…` : line}`);
  return [
    `Seed ${seed} fails:`,
    ...indented(problems),
    "The smallest schedule that fails like this:",
    ...indented([rest, ...operations].map((part) => JSON.stringify(part))),
    "Its trace:",
    ...indented(run.chronicle.lines()),
    `Replay it with: npm run lab -- ${experiment} --seed ${seed} --schedules 1${plantOption}`,
  ].join("\n");
};
