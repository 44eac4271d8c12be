import { isLinearizable, type Model, type Operation } from "../linearizability/linearizability.ts";
import type { TokenAction } from "../linearizability/token-model.ts";
import { type Answered, isFailure } from "./caller.ts";
import type { Allowance, LimitWatch } from "./limit-watch.ts";

/** How long an operation without a response may still take effect: longer than the deadline of a call to the database. */
export const lateMilliseconds = 10_000;

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

/** A token as its holder knows it. */
export interface Held {
  id: string;
  text: string;
  ip: string;
  /** Of a token with a rate limit. */
  allowance?: Allowance;
}

/** Notes the verdict in the response to a call with a token, and returns whether the token was active. */
export type Judge = (held: Held, answered: Answered) => boolean;

interface JudgeOptions {
  limits: LimitWatch;
  events: Histories<TokenAction>;
  differences: string[];
}

export const createJudge =
  ({ limits, events, differences }: JudgeOptions): Judge =>
  ({ id, allowance }, answered) => {
    const { status, text, calledAt, answeredAt } = answered;
    if (isFailure(answered)) {
      if (allowance) limits.note(allowance, answered);
      return true;
    }
    const code: unknown = status === 401 || status === 403 ? JSON.parse(text).code : undefined;
    if (code === "token_invalid" || code === "token_missing") {
      differences.push(`the answer to a call with the token ${id} was ${code}`);
    }
    const verdict = code === "token_expired" ? "expired" : code === "token_revoked" ? "revoked" : "active";
    const action = { kind: "use", verdict, from: calledAt, to: answeredAt } as const;
    events.note(id, { action, calledAt, answeredAt, isKnown: true });
    // A call from another address is not counted.
    if (allowance && verdict === "active" && status !== 403) limits.note(allowance, answered);
    return verdict === "active";
  };
