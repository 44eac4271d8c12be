import type { Outcome, Trial } from "../experiment.ts";
import { replayStates } from "./life-cycle/replay.ts";
import { exploreStates } from "./life-cycle/states.ts";
import { examineAll, search } from "./search.ts";
import { ordersUpTo } from "./small-scope.ts";

/**
 * The number of random schedules and of orders that the smoke form tries. The orders are each single operation, and a client's
 * rotation.
 */
const smokeSchedules = 100;
const smokeOrders = 9;

/** Runs random schedules, beginning with that of the seed, or all orders of a small scope with every single fault. */
export const simulate = async (trial: Trial): Promise<Outcome> => {
  const { plant, seed, seconds, isSmoke, progress } = trial;
  if (isSmoke) {
    const results = [
      await examineAll({ from: seed, to: seed + smokeSchedules, plant }),
      await examineAll({ from: 0, to: smokeOrders, orders: 1, plant }),
    ];
    return { problems: results.flatMap(({ finding }) => finding?.report ?? []) };
  }
  const orders = trial.numberOf("orders");
  const schedules = trial.numberOf("schedules");
  const from = orders === undefined || schedules !== undefined ? seed : 0;
  const last = orders === undefined ? Number.POSITIVE_INFINITY : ordersUpTo(orders).length;
  const to = Math.min(last, schedules === undefined ? last : from + schedules);
  const endsAt = performance.now() + seconds * 1_000;
  const isTimed = orders === undefined && schedules === undefined;
  const result = await search(
    { from, to, orders, plant },
    {
      // An order stands for hundreds of schedules.
      seedsPerTask: orders === undefined ? 200 : 20,
      isOver: () => isTimed && performance.now() > endsAt,
      onProgress: (count) => progress(`${count} schedules`),
    },
  );
  return { problems: result.finding ? [result.finding.report] : [], figures: { schedules: result.schedules } };
};

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
