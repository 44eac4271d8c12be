/** Something that a client did to one object, from its call to its answer. */
export interface Operation<Action> {
  action: Action;
  calledAt: number;
  /** `Infinity` without an answer: the action may have happened at any later time, or not at all. */
  answeredAt: number;
}

/** The sequential specification of an object. */
export interface Model<State, Action> {
  initial: State;
  /** The possible states after the action, which includes its answer; none if this answer is impossible. */
  after(state: State, action: Action): State[];
  /** A text that two states share only if they are indistinguishable. */
  keyOf(state: State): string;
}

/**
 * Whether a history is linearizable: each operation can have happened at one moment between its call and its
 * answer, so that in the order of these moments the model gives the same answers. After Wing and Gong, with Lowe's
 * memory of the situations that were dead ends.
 */
export const isLinearizable = <State, Action>(
  history: readonly Operation<Action>[],
  { initial, after, keyOf }: Model<State, Action>,
): boolean => {
  const operations = history.toSorted((one, other) => one.calledAt - other.calledAt);
  const seen = new Set<string>();
  const stack = [{ done: new Set<number>(), first: 0, state: initial }];

  for (let situation = stack.pop(); situation; situation = stack.pop()) {
    const { done, first, state } = situation;
    const open = openFrom(operations, { done, first });
    if (
      open.every(({ answeredAt }) => answeredAt === Number.POSITIVE_INFINITY) &&
      open.length === operations.length - done.size
    ) {
      return true;
    }
    for (const { index, action } of open) {
      for (const next of after(state, action)) {
        const nextDone = new Set(done).add(index);
        let nextFirst = first;
        while (nextDone.has(nextFirst)) nextFirst += 1;
        const beyond = [...nextDone].filter((one) => one > nextFirst).toSorted((one, other) => one - other);
        const key = `${nextFirst} ${beyond} ${keyOf(next)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        stack.push({ done: nextDone, first: nextFirst, state: next });
      }
    }
  }
  return false;
};

/** The operations that can be next: those that were called before any remaining operation was answered. */
const openFrom = <Action>(
  operations: readonly Operation<Action>[],
  { done, first }: { done: ReadonlySet<number>; first: number },
) => {
  const open: (Operation<Action> & { index: number })[] = [];
  let firstAnswer = Number.POSITIVE_INFINITY;
  for (let index = first; index < operations.length; index += 1) {
    const operation = operations[index];
    if (!operation || operation.calledAt > firstAnswer) break;
    if (done.has(index)) continue;
    open.push({ ...operation, index });
    firstAnswer = Math.min(firstAnswer, operation.answeredAt);
  }
  return open.filter(({ calledAt }) => calledAt <= firstAnswer);
};
