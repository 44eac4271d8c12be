import { isFailure } from "./caller.ts";
import type { Answered } from "./calls.ts";
import type { Histories } from "./history.ts";
import type { LimitWatch } from "./limit-watch.ts";
import type { Held } from "./token-pool.ts";
import type { TokenEvent } from "./verdict-model.ts";

/** Notes the verdict in the response to a call with a token, and returns whether the token was active. */
export type Judge = (held: Held, answered: Answered) => boolean;

interface JudgeOptions {
  limits: LimitWatch;
  events: Histories<TokenEvent>;
  /** How many calls with each token failed, with an unknown verdict. */
  failures: Map<string, number>;
  differences: string[];
}

export const createJudge =
  ({ limits, events, failures, differences }: JudgeOptions): Judge =>
  ({ id, allowance }, answered) => {
    const { status, text, calledAt, answeredAt } = answered;
    if (isFailure(answered)) {
      if (allowance) limits.note(allowance, answered);
      failures.set(id, (failures.get(id) ?? 0) + 1);
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
