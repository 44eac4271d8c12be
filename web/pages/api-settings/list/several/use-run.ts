import { useRef, useState } from "react";
import type { AdminApi } from "../../../../api/admin-api.ts";
import type { ApiFailure } from "../../../../api/api-failure.ts";
import type { Token } from "../../../../api/types.ts";
import { useSending } from "../../../../parts/use-sending.tsx";
import { useTokenCache } from "../../../../tokens/token-queries.ts";
import { type Outcome, runEach } from "./run-each.ts";

/** What became of each token, by its id. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const failureOf = (outcome: Outcome | undefined): ApiFailure | undefined =>
  typeof outcome === "object" ? outcome.failure : undefined;

/** Whether it makes sense to send the same again. A token that was refused for what it is would be refused again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  const failure = failureOf(outcome);
  return failure ? failure.isOutcomeUnknown || failure.status === 401 || failure.status === 429 : outcome !== "done";
};

type Work = (api: AdminApi, token: Token) => Promise<Token>;

/** Does something to each token, once begun, and keeps what became of it. It can be done again for those that it failed for. */
export const useRun = (tokens: readonly Token[]) => {
  const { update, reload } = useTokenCache();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const latest = useRef(outcomes);
  const current = useRef<{ work: Work; stopper: AbortController }>(undefined);
  const retriableNow = () => tokens.filter(({ token_id }) => canRetry(latest.current.get(token_id)));

  const sending = useSending(
    async (api, work: Work) => {
      const stopper = new AbortController();
      current.current = { work, stopper };
      let isListOutdated = false;
      await runEach(retriableNow(), {
        signal: stopper.signal,
        run: async (token) => update(await work(api, token)),
        onOutcome: (token, outcome) => {
          const failure = failureOf(outcome);
          isListOutdated ||= failure !== undefined && failure.status !== 401;
          latest.current = new Map(latest.current).set(token.token_id, outcome);
          setOutcomes(latest.current);
        },
      });
      if (isListOutdated) reload();
    },
    { isRepeatable: true },
  );

  return {
    ...sending,
    outcomes,
    retriable: retriableNow(),
    retry: () => current.current && sending.run(current.current.work),
    stop: () => {
      if (!sending.hasJustBegun()) current.current?.stopper.abort();
    },
  };
};

export type Run = ReturnType<typeof useRun>;
