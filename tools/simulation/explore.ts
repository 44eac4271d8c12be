import { generateSchedule } from "./generate.ts";
import { judge } from "./judges/judge.ts";
import { type CreatePlant, type Run, runSchedule } from "./run-schedule.ts";
import type { Schedule } from "./schedule.ts";
import { shrink } from "./shrink.ts";

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

/** Looks for a schedule that fails, seed by seed. */
export const findFailure = async (
  { from, to }: { from: number; to: number },
  plant?: CreatePlant,
): Promise<Failure | undefined> => {
  for (let seed = from; seed < to; seed += 1) {
    const failure = await examine(generateSchedule(seed), plant);
    if (failure) return failure;
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
  problem.replace(/: [[{].*$/s, "").replace(/[0-9A-Z]{26}|#?[\d.]+/g, "…");
