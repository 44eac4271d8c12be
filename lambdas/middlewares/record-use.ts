import { describeCause, log } from "../log.ts";
import type { TokenStore } from "../resources/tokens/token-store.ts";
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
  let pausedUntil = 0;

  const record = async (tokenId: string, now: number): Promise<void> => {
    try {
      await tokens.recordUse(tokenId, new Date(now).toISOString());
    } catch (error) {
      pausedUntil = Date.now() + everySeconds * 1000;
      log("warn", { message: "use_not_recorded", token_id: tokenId, cause: describeCause(error) });
    }
  };

  const recordIfDue = (event: Request["event"]): void => {
    const { token } = event.caller ?? {};
    const now = Date.now();
    if (!token || now < pausedUntil || now < Date.parse(token.last_used_at ?? "1970") + everySeconds * 1000) return;
    event.recording = record(token.token_id, now);
  };

  return {
    before: ({ event }) => {
      if (!event.verdict) return recordIfDue(event);
      // Who is refused has used nothing; verify-token tells of the refusal.
      event.verdict.then(
        () => recordIfDue(event),
        () => {},
      );
      return undefined;
    },
    after: ({ event }) => event.recording,
    onError: async ({ event }) => {
      // The request may have failed before its token was looked up.
      await Promise.allSettled([event.verdict]);
      await event.recording;
    },
  };
};
