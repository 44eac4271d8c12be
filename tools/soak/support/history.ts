import { isLinearizable, type Model, type Operation } from "../../support/linearizability/linearizability.ts";

/** How long after an answer that tells nothing its work may still be done: a call to the database ends before. */
const lateMilliseconds = 10_000;

/** What was done to objects of one kind, each with a history of its own. Times are epoch milliseconds. */
export interface Histories<Action> {
  /** Notes what was done; without an answer nobody knows whether it was. */
  note(name: string, operation: { action: Action; calledAt: number; answeredAt: number; isKnown: boolean }): void;
  /** The objects whose history cannot have happened. */
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
