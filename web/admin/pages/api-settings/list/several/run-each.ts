import { useRef, useState } from "react";
import type { AdminApi } from "../../../../api/admin-api.ts";
import type { ApiFailure } from "../../../../api/api-failure.ts";
import type { Token } from "../../../../api/types.ts";
import { useSending } from "../../../../parts/app-context.tsx";
import { useTokenCache } from "../../../../tokens/token-queries.ts";

/** The result for one item. For a `waiting` item, nothing has been sent. */
export type Outcome = "waiting" | "running" | "done" | { failure: ApiFailure };

export const failureOf = (outcome: Outcome | undefined): ApiFailure | undefined =>
  typeof outcome === "object" ? outcome.failure : undefined;

/** Whether a retry makes sense. A token that was rejected because of its state would be rejected again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  const failure = failureOf(outcome);
  return failure
    ? failure.isOutcomeUnknown || failure.isUnreachable || failure.status === 401 || failure.status === 429
    : outcome !== "done";
};

/** Low enough for the service's smallest quota, and several times as fast as one at a time. */
const atATime = 3;

interface RunOptions<Item> {
  run: (item: Item) => Promise<unknown>;
  onOutcome: (item: Item, outcome: Outcome) => void;
  /** After this aborts, nothing more is sent. */
  signal: AbortSignal;
}

/**
 * Runs the same action for each item, a few at a time. Nothing is sent twice. It continues after an item is rejected, but stops
 * after a failure that would affect all others too: no response, or the end of the session.
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

/** The result for each token, by id. */
export type Outcomes = ReadonlyMap<string, Outcome>;

type Work = (api: AdminApi, token: Token) => Promise<Token>;

/** Runs an action for each token and keeps the results. Failed tokens can be retried. */
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
