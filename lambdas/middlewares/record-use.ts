import { describeCause, log } from "../log.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import type { Middleware, Request } from "./request.ts";

interface RecordUseOptions {
  tokens: Pick<TokenStore, "recordUse">;
  /** A use is not recorded if another was within so many seconds before it. */
  everySeconds?: number;
}

/**
 * Records when a token was last used, beside the request's own work: one small write for a token in a while, on no
 * account a reason for a request to fail. After a write that failed none is tried for as long.
 */
export const recordUse = ({ tokens, everySeconds = 5 * 60 }: RecordUseOptions): Middleware => {
  const pending = new WeakMap<Request["event"], Promise<void>>();
  let pausedUntil = 0;

  const awaitPending = async ({ event }: Request) => pending.get(event);

  const recordIfDue = async ({ caller }: Request["event"]): Promise<void> => {
    const { token } = caller ?? {};
    const now = Date.now();
    if (!token || now < pausedUntil || now < Date.parse(token.last_used_at ?? "1970") + everySeconds * 1000) return;
    try {
      await tokens.recordUse(token.token_id, new Date(now).toISOString());
    } catch (error) {
      pausedUntil = Date.now() + everySeconds * 1000;
      log("warn", { message: "use_not_recorded", token_id: token.token_id, cause: describeCause(error) });
    }
  };

  return {
    before: ({ event }) => {
      // Who is refused has used nothing; verify-token tells of the refusal.
      const oncePassed = event.verdict?.then(
        () => recordIfDue(event),
        () => {},
      );
      pending.set(event, oncePassed ?? recordIfDue(event));
    },
    after: awaitPending,
    onError: awaitPending,
  };
};
