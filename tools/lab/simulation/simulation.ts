import type { Outcome, Trial } from "../conduct.ts";
import type { Task } from "./explore.ts";
import { replayStates } from "./life-cycle/replay.ts";
import { exploreStates } from "./life-cycle/states.ts";
import { examineAll, search } from "./search.ts";

/** The number of schedules in the smoke form. */
const smokeSchedules = 120;

type Subject = Pick<Task, "release" | "isOfRecords">;

/** Runs random schedules, beginning with that of the seed. With a release, its functions serve every other environment. */
export const simulate = async (trial: Trial, { release, isOfRecords = false }: Subject = {}): Promise<Outcome> => {
  const { plant, seed, seconds, isSmoke, progress } = trial;
  const count = trial.schedules ?? (isSmoke ? smokeSchedules : undefined);
  const task = {
    from: seed,
    to: count === undefined ? Number.POSITIVE_INFINITY : seed + count,
    plant,
    release,
    isOfRecords,
  };
  const endsAt = performance.now() + seconds * 1_000;
  const { finding, schedules } = isSmoke
    ? await examineAll(task)
    : await search(task, {
        isOver: () => count === undefined && performance.now() > endsAt,
        onProgress: (done) => progress(`${done} schedules`),
      });
  return { problems: finding ? [finding.report] : [], figures: { schedules } };
};

/** Runs random schedules of calls of the stores of records. */
export const simulateRecords = (trial: Trial): Promise<Outcome> => simulate(trial, { isOfRecords: true });

/** Checks the model of a token's life, and compares the real functions with it. */
export const liveThrough = async ({ plant, isSmoke, progress }: Trial): Promise<Outcome> => {
  const scope = { tokens: 2, requests: isSmoke ? 2 : 1 };
  const { states, transitions, broken } = exploreStates(scope);
  const { difference, ...replayed } = await replayStates(states, {
    scope,
    isComplete: !isSmoke,
    plant,
    onProgress: (count) => progress(`${count} transitions`),
  });
  const told = (problem: string, calls: readonly object[]): string =>
    [problem, ...calls.map((call) => `  ${JSON.stringify(call)}`)].join("\n");
  return {
    problems: [
      ...(broken ? [told(`The model does not keep its promise: ${broken.promise}.`, broken.calls)] : []),
      ...(difference
        ? [told(`The real functions differ from the model: ${difference.problem}`, difference.calls)]
        : []),
    ],
    figures: {
      "states of the model": states.length,
      "transitions of the model": transitions,
      "transitions of the real functions": replayed.transitions,
    },
  };
};
