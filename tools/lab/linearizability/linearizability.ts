/** An operation of a client on one object, from its call to its response. */
export interface Operation<Action> {
  action: Action;
  calledAt: number;
  /** `Infinity` without a response, because the action may happen at any later time or not at all. */
  answeredAt: number;
  /** For operations without a response: the latest time at which the action can have happened. Default: `Infinity`. */
  happenedBy?: number;
}

/** The sequential specification of an object. */
export interface Model<State, Action> {
  initial: State;
  /** Returns the possible states after the action, which includes its response. Empty if this response is impossible. */
  after(state: State, action: Action): State[];
  /** Returns the same string for two states only if they are indistinguishable. */
  keyOf(state: State): string;
}

/** The progress of a search. */
interface Situation<State> {
  /** All completed operations before this one are done. */
  first: number;
  /** The later completed operations that are done. */
  beyond: readonly number[];
  /** The operations without a response that are assumed to have happened, except those that are too late by now. */
  used: readonly number[];
  /** The latest call time of all operations that are done. */
  lastCall: number;
  state: State;
}

/**
 * Checks whether a history is linearizable. Each operation must be able to happen at one moment between its call and its response,
 * so that the model returns the same responses in the order of these moments.
 *
 * The algorithm is Wing and Gong's, with Lowe's memory of the situations that were dead ends. An operation without a response may
 * not have happened. A situation is therefore also a dead end if it differs from a known dead end only in having used more of these
 * operations.
 */
export const isLinearizable = <State, Action>(
  history: readonly Operation<Action>[],
  { initial, after, keyOf }: Model<State, Action>,
): boolean => {
  const operations = history.toSorted((one, other) => one.calledAt - other.calledAt);
  const answered = operations.filter(({ answeredAt }) => answeredAt !== Number.POSITIVE_INFINITY);
  const unanswered = operations
    .filter(({ answeredAt }) => answeredAt === Number.POSITIVE_INFINITY)
    .map(({ action, calledAt, happenedBy = Number.POSITIVE_INFINITY }) => {
      return { action, calledAt, happenedBy, text: JSON.stringify(action) };
    });
  const seen = new Map<string, Situation<State>[]>();
  const stack: Situation<State>[] = [];

  /** Returns the operations without a response that could still happen after a call at this time. */
  const notTooLate = (indexes: readonly number[], lastCall: number) =>
    indexes.filter((index) => (unanswered[index]?.happenedBy ?? 0) >= lastCall);

  const visit = (situation: Situation<State>) => {
    const key = `${situation.first} ${situation.beyond} ${keyOf(situation.state)}`;
    const others = seen.get(key) ?? [];
    if (others.some((other) => allowsAsMuch(other, situation))) return;
    seen.set(key, [...others.filter((other) => !allowsAsMuch(situation, other)), situation]);
    stack.push(situation);
  };

  visit({ first: 0, beyond: [], used: [], lastCall: Number.NEGATIVE_INFINITY, state: initial });
  for (let situation = stack.pop(); situation; situation = stack.pop()) {
    const { first, beyond, used, lastCall, state } = situation;
    if (first === answered.length) return true;
    const { open, firstAnswer } = openFrom(answered, situation);

    for (const { index, action, calledAt } of usable(unanswered, situation, firstAnswer)) {
      const last = Math.max(lastCall, calledAt);
      const nowUsed = notTooLate([...used, index], last);
      for (const next of after(state, action)) visit({ first, beyond, used: nowUsed, lastCall: last, state: next });
    }
    // The situation that is added last is tried first. Operations without a response are used only if nothing else leads on.
    for (const { index, action, calledAt } of open) {
      const last = Math.max(lastCall, calledAt);
      const stillUsed = notTooLate(used, last);
      const done = withDone(situation, index);
      for (const next of after(state, action)) visit({ ...done, used: stillUsed, lastCall: last, state: next });
    }
  }
  return false;
};

/** Checks whether everything that can follow the other situation can also follow this one, if they differ in nothing else. */
const allowsAsMuch = (one: Situation<unknown>, other: Situation<unknown>): boolean =>
  one.lastCall <= other.lastCall && one.used.every((index) => other.used.includes(index));

const withDone = ({ first, beyond }: Pick<Situation<unknown>, "first" | "beyond">, index: number) => {
  const done = [...beyond, index].toSorted((one, other) => one - other);
  let next = first;
  while (done[next - first] === next) next += 1;
  return { first: next, beyond: done.slice(next - first) };
};

/** Returns the completed operations that can be next: those that were called before any remaining operation was completed. */
const openFrom = <Action>(
  answered: readonly Operation<Action>[],
  { first, beyond }: Pick<Situation<unknown>, "first" | "beyond">,
) => {
  const open: (Operation<Action> & { index: number })[] = [];
  let firstAnswer = Number.POSITIVE_INFINITY;
  for (let index = first; index < answered.length; index += 1) {
    const operation = answered[index];
    if (!operation || operation.calledAt > firstAnswer) break;
    if (beyond.includes(index)) continue;
    open.push({ ...operation, index });
    firstAnswer = Math.min(firstAnswer, operation.answeredAt);
  }
  return { open: open.filter(({ calledAt }) => calledAt <= firstAnswer), firstAnswer };
};

interface Unanswered<Action> {
  action: Action;
  calledAt: number;
  happenedBy: number;
  /** Equal for equal actions. */
  text: string;
}

/**
 * Returns the operations without a response that can be next. Among equal actions, a later one can replace an earlier one if it has
 * at least as long to happen, so the earlier one is used first.
 */
const usable = <Action>(
  unanswered: readonly Unanswered<Action>[],
  { used, lastCall }: Pick<Situation<unknown>, "used" | "lastCall">,
  firstAnswer: number,
) => {
  const earliest = new Map<string, number>();
  return unanswered.flatMap((operation, index) => {
    const { calledAt, happenedBy, text } = operation;
    if (calledAt > firstAnswer || happenedBy < lastCall || used.includes(index)) return [];
    const before = earliest.get(text);
    if (before !== undefined && before <= happenedBy) return [];
    earliest.set(text, happenedBy);
    return [{ ...operation, index }];
  });
};
