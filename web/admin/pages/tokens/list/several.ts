import { ApiFailure } from "../../../api/api-failure.ts";
import type { Token } from "../../../api/types.ts";
import { dayMs } from "../../../parts/time.ts";
import { isInvited, isRevocable, statusOf } from "../token/token-status.ts";

/** The actions that can be run on several tokens at once. */
export type SeveralAction = "revoke" | "expiry";

/** Separates the tokens that an action applies to from those that it skips, and counts those used in the last seven days. */
export const planFor = (action: SeveralAction, selected: readonly Token[], now: number) => {
  const judged = selected.map((token) => ({ token, reason: reasonToSkip(action, token, now) }));
  const tokens = judged.filter(({ reason }) => reason === "").map(({ token }) => token);
  const since = new Date(now - 7 * dayMs).toISOString();
  const inUseCount = tokens.filter(({ last_used_at }) => last_used_at !== null && last_used_at > since).length;
  return { tokens, skipped: judged.filter(({ reason }) => reason !== ""), inUseCount };
};

/** Returns why an action skips a token, or an empty string. */
const reasonToSkip = (action: SeveralAction, token: Token, now: number): string => {
  const status = statusOf(token, now);
  if (status === "revoked") return "It was revoked.";
  if (status === "moved") return "Its client has moved to another address.";
  if (!isRevocable(status)) return "It has expired.";
  if (action === "revoke") return "";
  if (token.trust_id !== null) return "The trust in its workload decides when it ends.";
  if (isInvited(status)) return "Its invitation has not been redeemed yet.";
  return status === "rotated" ? "It was rotated: its grace period decides when it ends." : "";
};

/** Returns a count in words, such as "3 tokens". */
export const tokensInWords = (count: number): string =>
  count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`;

/** The result for one item. An item has no result until something has been sent for it. */
export type Outcome = "running" | "done" | ApiFailure;

/** Whether a retry makes sense. A token that was rejected because of its state would be rejected again. */
export const canRetry = (outcome: Outcome | undefined): boolean => {
  if (!(outcome instanceof ApiFailure)) return outcome !== "done";
  return outcome.isOutcomeUnknown || outcome.isUnreachable || outcome.status === 401 || outcome.status === 429;
};

/** Low enough for the service's smallest quota, and several times as fast as one at a time. */
const atATime = 3;

/**
 * Runs the same action for each item, a few at a time. Each item is sent at most once. The function continues after an item is
 * rejected, but stops after a failure that would affect all others too: no response, or the end of the session. After the signal,
 * the function sends nothing more.
 */
export const runEach = async <Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
  onOutcome: (item: Item, outcome: Outcome) => void,
  signal: AbortSignal,
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
          onOutcome(item, failure);
          isCutOff ||= failure.status === 0 || failure.status === 401;
        },
      );
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
};
