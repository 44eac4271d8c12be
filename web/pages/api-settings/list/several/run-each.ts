import { useRef, useState } from "react";
import type { AdminApi } from "../../../../api/admin-api.ts";
import type { ApiFailure } from "../../../../api/api-failure.ts";
import type { Token } from "../../../../api/types.ts";
import { useSending } from "../../../../parts/app-context.tsx";
import { useTokenCache } from "../../../../tokens/token-queries.ts";

/** What became of one item. Nothing was sent for a `waiting` one. */
export type Outcome = "waiting" | "running" | "done" | { failure: ApiFailure };

export const failureOf = (outcome: Outcome | undefined): ApiFailure | undefined =>
  typeof outcome === "object" ? outcome.failure : undefined;

/** Whether it makes sense to send the same again. A token that was refused for what it is would be refused again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  const failure = failureOf(outcome);
  return failure
    ? failure.isOutcomeUnknown || failure.isUnreachable || failure.status === 401 || failure.status === 429
    : outcome !== "done";
};

/** Few enough for the service's smallest quota, and several times as fast as one by one. */
const atATime = 3;

interface RunOptions<Item> {
  run: (item: Item) => Promise<unknown>;
  onOutcome: (item: Item, outcome: Outcome) => void;
  /** Once this is aborted, nothing more is sent. */
  signal: AbortSignal;
}

/**
 * Does the same for each item, a few at a time. Nothing is sent twice. It goes on after a refusal, and ends after a failure that
 * would meet all others too: no response, or the end of the session.
 */
export const runEach = async <Item>(
  items: readonly Item[],
  { run, onOutcome, signal }: RunOptions<Item>,
): Promise<void> => {
  const waiting = [...items];
  let isCutOff = false;
  const work = async () => {
    while (!isCutOff && !signal.aborted) {
      const item = waiting.shift();
      if (item === undefined) return;
      onOutcome(item, "running");
      await run(item).then(
        () => onOutcome(item, "done"),
        (failure: ApiFailure) => {
          onOutcome(item, { failure });
          isCutOff ||= failure.status === 0 || failure.status === 401;
        },
      );
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
};

/** What became of each token, by its id. */
export type Outcomes = ReadonlyMap<string, Outcome>;

type Work = (api: AdminApi, token: Token) => Promise<Token>;

/** Does something to each token and keeps the outcomes. Tokens for which it failed can be tried again. */
export const useRun = (tokens: readonly Token[]) => {
  const { update, reload } = useTokenCache();
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const [isStopping, setIsStopping] = useState(false);
  const latest = useRef(outcomes);
  const current = useRef<{ work: Work; stopper: AbortController }>(undefined);
  const retriableNow = () => tokens.filter(({ token_id }) => canRetry(latest.current.get(token_id)));

  const sending = useSending(
    async (api, work: Work) => {
      const stopper = new AbortController();
      current.current = { work, stopper };
      setIsStopping(false);
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
    isStopping,
    stop: () => {
      if (sending.hasJustBegun()) return;
      current.current?.stopper.abort();
      setIsStopping(true);
    },
  };
};

export type Run = ReturnType<typeof useRun>;
