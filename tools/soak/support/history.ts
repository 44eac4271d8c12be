import { isLinearizable, type Model, type Operation } from "../../support/linearizability/linearizability.ts";

/** How long work may continue after an inconclusive answer: every call to the database ends within this time. */
const lateMilliseconds = 10_000;

/** The operations on objects of one kind, each with its own history. Times are epoch milliseconds. */
export interface Histories<Action> {
  /** Records an operation. Without an answer it is unknown whether it took effect. */
  note(name: string, operation: { action: Action; calledAt: number; answeredAt: number; isKnown: boolean }): void;
  /** The objects with an impossible history. */
  impossible(modelOf: (name: string) => Model<unknown, Action>): string[];
  size(): { objects: number; operations: number };
}

export const createHistories = <Action>(): Histories<Action> => {
  const histories = new Map<string, Operation<Action>[]>();
  return {
    note(name, { action, calledAt, answeredAt, isKnown }) {
      const history = histories.get(name) ?? [];
      history.push({ action, calledAt, answeredAt: isKnown ? answeredAt : answeredAt + lateMilliseconds });
      histories.set(name, history);
    },
    impossible: (modelOf) =>
      [...histories].flatMap(([name, history]) =>
        isLinearizable(history, modelOf(name)) ? [] : [`${name}: ${JSON.stringify(history)}`],
      ),
    size: () => ({ objects: histories.size, operations: [...histories.values()].flat().length }),
  };
};
