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

/** The progress of a search. */
interface Situation<State> {
  /** All completed operations before this one are done. */
  first: number;
  /** The later completed operations that are done. */
  beyond: readonly number[];
  /** The operations without a response that are assumed to have happened. */
  used: readonly number[];
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
    .map(({ action, calledAt }) => ({ action, calledAt, text: JSON.stringify(action) }));
  const seen = new Map<string, Situation<State>[]>();
  const stack: Situation<State>[] = [];

  const visit = (situation: Situation<State>) => {
    const key = `${situation.first} ${situation.beyond} ${keyOf(situation.state)}`;
    const others = seen.get(key) ?? [];
    if (others.some((other) => allowsAsMuch(other, situation))) return;
    seen.set(key, [...others.filter((other) => !allowsAsMuch(situation, other)), situation]);
    stack.push(situation);
  };

  visit({ first: 0, beyond: [], used: [], state: initial });
  for (let situation = stack.pop(); situation; situation = stack.pop()) {
    const { first, beyond, used, state } = situation;
    if (first === answered.length) return true;
    const { open, firstAnswer } = openFrom(answered, situation);

    for (const { index, action } of usable(unanswered, used, firstAnswer)) {
      for (const next of after(state, action)) visit({ first, beyond, used: [...used, index], state: next });
    }
    // The situation that is added last is tried first. Operations without a response are used only if nothing else leads on.
    for (const { index, action } of open) {
      const done = withDone(situation, index);
      for (const next of after(state, action)) visit({ ...done, used, state: next });
    }
  }
  return false;
};

/** Checks whether everything that can follow the other situation can also follow this one, if they differ in nothing else. */
const allowsAsMuch = (one: Situation<unknown>, other: Situation<unknown>): boolean =>
  one.used.every((index) => other.used.includes(index));

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
  /** Equal for equal actions. */
  text: string;
}

/** Returns the operations without a response that can be next. Of equal actions, only the earliest unused one is tried. */
const usable = <Action>(unanswered: readonly Unanswered<Action>[], used: readonly number[], firstAnswer: number) => {
  const tried = new Set<string>();
  return unanswered.flatMap((operation, index) => {
    if (operation.calledAt > firstAnswer || used.includes(index) || tried.has(operation.text)) return [];
    tried.add(operation.text);
    return [{ ...operation, index }];
  });
};
