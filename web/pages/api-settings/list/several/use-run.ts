import { useRef, useState } from "react";
import type { ApiFailure } from "../../../../api/api-failure.ts";
import type { Token } from "../../../../api/types.ts";
import { useTokenCache } from "../../token/token-queries.ts";
import { type Outcome, runEach } from "./run-each.ts";

/** What became of each token, by its id. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const failureOf = (outcome: Outcome | undefined): ApiFailure | undefined =>
  typeof outcome === "object" ? outcome.failure : undefined;

/** Whether it makes sense to send the same again. Whoever was refused for what the token is would be refused again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  const failure = failureOf(outcome);
  return failure ? failure.isOutcomeUnknown || failure.status === 401 || failure.status === 429 : outcome !== "done";
};

type Work = (token: Token) => Promise<Token>;

export interface Run {
  stage: "ready" | "running" | "finished";
  outcomes: Outcomes;
  /** The tokens with which something remains to be done. */
  retriable: Token[];
  begin: (work: Work) => void;
  retry: () => void;
  stop: () => void;
}

/** Does something to each token, once begun, and keeps what became of it. */
export const useRun = (tokens: readonly Token[]): Run => {
  const { update, reload } = useTokenCache();
  const [stage, setStage] = useState<Run["stage"]>("ready");
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const current = useRef<{ work: Work; stopper: AbortController }>(undefined);

  const start = async (work: Work, some: readonly Token[]) => {
    const stopper = new AbortController();
    current.current = { work, stopper };
    setStage("running");
    let isListOutdated = false;
    await runEach(some, {
      signal: stopper.signal,
      run: async (token) => update(await work(token)),
      onOutcome: (token, outcome) => {
        const failure = failureOf(outcome);
        isListOutdated ||= failure !== undefined && failure.status !== 401;
        setOutcomes((earlier) => new Map(earlier).set(token.token_id, outcome));
      },
    });
    setStage("finished");
    if (isListOutdated) reload();
  };

  const retriable = tokens.filter(({ token_id }) => canRetry(outcomes.get(token_id)));
  return {
    stage,
    outcomes,
    retriable,
    begin: (work) => {
      if (!current.current) void start(work, tokens);
    },
    retry: () => current.current && start(current.current.work, retriable),
    stop: () => current.current?.stopper.abort(),
  };
};
