/** Something that a client did to one object, from its call to its answer. */
export interface Operation<Action> {
  action: Action;
  calledAt: number;
  /** `Infinity` without an answer: the action may have happened at any later time, or not at all. */
  answeredAt: number;
  /** Without an answer: when the action has happened at the latest, if at all; `Infinity` by default. */
  happenedBy?: number;
}

/** The sequential specification of an object. */
export interface Model<State, Action> {
  initial: State;
  /** The possible states after the action, which includes its answer; none if this answer is impossible. */
  after(state: State, action: Action): State[];
  /** A text that two states share only if they are indistinguishable. */
  keyOf(state: State): string;
}

/** How far a search has come. */
interface Situation<State> {
  /** The answered operations before this one are done. */
  first: number;
  /** The later answered operations that are done. */
  beyond: readonly number[];
  /** The unanswered operations that have been assumed to have happened, without those that are too late now anyway. */
  used: readonly number[];
  /** When the last of all operations that are done was called. */
  lastCall: number;
  state: State;
}

/**
 * Whether a history is linearizable: each operation can have happened at one moment between its call and its
 * answer, so that in the order of these moments the model gives the same answers. After Wing and Gong, with Lowe's
 * memory of the situations that were dead ends. As an unanswered operation may not have happened, a situation is also a
 * dead end if one was that differs only in having used fewer of them.
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

  /** Those of these unanswered operations that could still happen after a call at this time. */
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
    // What is visited last is tried first: unanswered operations are used only where nothing else leads on.
    for (const { index, action, calledAt } of open) {
      const last = Math.max(lastCall, calledAt);
      const stillUsed = notTooLate(used, last);
      const done = withDone(situation, index);
      for (const next of after(state, action)) visit({ ...done, used: stillUsed, lastCall: last, state: next });
    }
  }
  return false;
};

/** Whether all that can follow on the other situation can follow on this one, if they differ in nothing else. */
const allowsAsMuch = (one: Situation<unknown>, other: Situation<unknown>): boolean =>
  one.lastCall <= other.lastCall && one.used.every((index) => other.used.includes(index));

const withDone = ({ first, beyond }: Pick<Situation<unknown>, "first" | "beyond">, index: number) => {
  const done = [...beyond, index].toSorted((one, other) => one - other);
  let next = first;
  while (done[next - first] === next) next += 1;
  return { first: next, beyond: done.slice(next - first) };
};

/** The answered operations that can be next: those that were called before any remaining operation was answered. */
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
  /** What equal actions have in common. */
  text: string;
}

/**
 * The unanswered operations that can be next. Of those with equal actions, one that was called later can take the place of
 * an earlier one if it has at least as long to happen, so that the earlier one is used first.
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
