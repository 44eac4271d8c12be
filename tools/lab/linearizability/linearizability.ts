/** An operation of a client on one object, from its call to its response. */
export interface Operation<Action> {
  action: Action;
  calledAt: number;
  /** `Infinity` without a response, because the action may happen at any later time or not at all. */
  answeredAt: number;
}

/** The sequential specification of an object. */
export interface Model<State, Action> {
  initial: State;
  /** Returns the possible states after the action, which includes its response. Empty if this response is impossible. */
  after(state: State, action: Action): State[];
  /** Returns the same string for two states only if they are indistinguishable. */
  keyOf(state: State): string;
}

/**
 * Checks whether a history is linearizable. There must be a moment for each operation, between its call and its response, so
 * that the model returns the same responses if the operations happen in the order of these moments.
 *
 * The algorithm is Wing and Gong's, with Lowe's memory of the situations that were dead ends.
 */
export const isLinearizable = <State, Action>(
  history: readonly Operation<Action>[],
  { initial, after, keyOf }: Model<State, Action>,
): boolean => {
  // Operations without a response come last, because they are tried only after all others.
  const operations = history
    .toSorted((one, other) => one.answeredAt - other.answeredAt)
    .map((operation, index) => ({ ...operation, index }));
  const known = new Set<string>();
  const leadsOn = (left: typeof operations, state: State): boolean => {
    const [next] = left;
    if (!next || next.answeredAt === Number.POSITIVE_INFINITY) return true;
    const situation = `${left.map(({ index }) => index)} ${keyOf(state)}`;
    if (known.has(situation)) return false;
    known.add(situation);
    // Whatever was called after the first response comes after the operation that got it.
    const possible = left.filter(({ calledAt }) => calledAt <= next.answeredAt);
    return possible.some((one) =>
      after(state, one.action).some((then) =>
        leadsOn(
          left.filter((other) => other !== one),
          then,
        ),
      ),
    );
  };
  return leadsOn(operations, initial);
};
