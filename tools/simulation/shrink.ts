import { type Fate, type Operation, promptFate, type Schedule } from "./schedule.ts";

/** Whether a schedule shows the problem that is being looked at. */
export type Fails = (schedule: Schedule) => Promise<boolean>;

/**
 * The smallest schedule found that still fails: with fewer operations, fewer faults and less waiting. Each step removes
 * something, and is kept if the schedule still fails, until no step succeeds.
 */
export const shrink = async (schedule: Schedule, fails: Fails): Promise<Schedule> => {
  let smallest = schedule;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerOnes(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
};

function* smallerOnes(schedule: Schedule): Generator<Schedule> {
  const { operations, environments, setup } = schedule;
  const withOperations = (changed: Operation[]): Schedule => ({ ...schedule, operations: changed });
  const change = (index: number, changes: Partial<Operation>): Schedule =>
    withOperations(operations.map((one, position) => (position === index ? { ...one, ...changes } : one)));

  for (const index of operations.keys()) yield withOperations(operations.toSpliced(index, 1));
  for (const [index, { fates }] of operations.entries()) {
    if (fates.some(isFault)) yield change(index, { fates: [] });
    for (const [position, fate] of fates.entries()) {
      if (isFault(fate)) yield change(index, { fates: fates.with(position, promptFate) });
    }
  }
  for (const key of setup.keys)
    yield { ...schedule, setup: { ...setup, keys: setup.keys.filter((one) => one !== key) } };
  for (const [index, { clockOffset, timersStandStill }] of environments.entries()) {
    const replaceWith = (plan: (typeof environments)[number]) => ({
      ...schedule,
      environments: environments.with(index, plan),
    });
    if (clockOffset !== 0) yield replaceWith({ clockOffset: 0, timersStandStill });
    if (!timersStandStill) yield replaceWith({ clockOffset, timersStandStill: true });
  }
  for (const [index, { pause, client, environment }] of operations.entries()) {
    if (pause > 0) yield change(index, { pause: 0 });
    if (environment > 0) yield change(index, { environment: 0 });
    if (client > 0) yield change(index, { client: 0 });
  }
  if (schedule.deletions.length > 0) yield { ...schedule, deletions: [] };
  if (schedule.startInMinute > 0) yield { ...schedule, startInMinute: 0 };
}

const isFault = ({ deliveries, answer, kill }: Fate): boolean =>
  deliveries.length !== 1 || (deliveries[0] ?? 0) > 100 || answer !== "delivered" || kill !== undefined;
