import { useRef, useState } from "react";
import type { AdminApi } from "../../../../api/admin-api.ts";
import type { Token } from "../../../../api/types.ts";
import { useSending } from "../../../../parts/use-sending.tsx";
import { useTokenCache } from "../../../../tokens/token-queries.ts";
import { canRetry, failureOf, type Outcome, runEach } from "./run-each.ts";

/** What became of each token, by its id. */
export type Outcomes = ReadonlyMap<string, Outcome>;

type Work = (api: AdminApi, token: Token) => Promise<Token>;

/** Does something to each token and keeps the outcomes. Tokens for which it failed can be tried again. */
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
