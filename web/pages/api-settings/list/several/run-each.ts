import type { ApiFailure } from "../../../../api/api-failure.ts";

/** What became of one item. Nothing was sent for a `waiting` one. */
export type Outcome = "waiting" | "running" | "done" | { failure: ApiFailure };

export const failureOf = (outcome: Outcome | undefined): ApiFailure | undefined =>
  typeof outcome === "object" ? outcome.failure : undefined;

/** Whether it makes sense to send the same again. A token that was refused for what it is would be refused again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  const failure = failureOf(outcome);
  return failure ? failure.isOutcomeUnknown || failure.status === 401 || failure.status === 429 : outcome !== "done";
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
