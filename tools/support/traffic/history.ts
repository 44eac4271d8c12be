import { isLinearizable, type Model, type Operation } from "../linearizability/linearizability.ts";

/** How long an operation without a response may still take effect: longer than the deadline of a call to the database. */
const lateMilliseconds = 10_000;

/** The operations on objects of one kind, each with its own history. Times are Unix milliseconds. */
export interface Histories<Action> {
  /** Notes an operation. Without a response, `isKnown` is false: it may or may not have taken effect. */
  note(name: string, operation: { action: Action; calledAt: number; answeredAt: number; isKnown: boolean }): void;
  names(): string[];
  /** The operations on an object. */
  of(name: string): readonly Operation<Action>[];
  /** The objects whose history cannot have happened. */
  impossible(modelOf: (name: string) => Model<unknown, Action>): string[];
  size(): { objects: number; operations: number };
}

export const createHistories = <Action>(): Histories<Action> => {
  const histories = new Map<string, Operation<Action>[]>();
  return {
    note(name, { action, calledAt, answeredAt, isKnown }) {
      const history = histories.get(name) ?? [];
      const unanswered = { answeredAt: Number.POSITIVE_INFINITY, happenedBy: answeredAt + lateMilliseconds };
      history.push({ action, calledAt, ...(isKnown ? { answeredAt } : unanswered) });
      histories.set(name, history);
    },
    names: () => [...histories.keys()],
    of: (name) => histories.get(name) ?? [],
    impossible: (modelOf) =>
      [...histories].flatMap(([name, history]) =>
        isLinearizable(history, modelOf(name)) ? [] : [`${name}: ${JSON.stringify(history)}`],
      ),
    size: () => ({ objects: histories.size, operations: [...histories.values()].flat().length }),
  };
};
