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

/** Compares the real functions with the model of a token's life, in all of its states. */
export const liveThrough = async ({ plant, isSmoke, progress }: Trial): Promise<Outcome> => {
  const scope = { tokens: 2, requests: isSmoke ? 2 : 1 };
  const { states, transitions } = exploreStates(scope);
  const { difference, ...replayed } = await replayStates(states, {
    scope,
    isComplete: !isSmoke,
    plant,
    onProgress: (count) => progress(`${count} transitions`),
  });
  const calls = difference?.calls.map((call) => `\n  ${JSON.stringify(call)}`).join("");
  return {
    problems: difference ? [`The real functions differ from the model: ${difference.problem}${calls}`] : [],
    figures: {
      "states of the model": states.length,
      "transitions of the model": transitions,
      "transitions of the real functions": replayed.transitions,
    },
  };
};
