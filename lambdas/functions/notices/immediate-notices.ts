import { dueNotices, leakNotice } from "../../admin/notices/due-notices.ts";
import { tokenAnswer } from "../../admin/tokens/token-answer.ts";
import type { NoticeRecord, NoticeStore } from "../../resources/notices/notice-store.ts";
import type { TokenStore } from "../../resources/tokens/token-store.ts";
import type { UrgentCall } from "../../resources/usage/urgent-calls.ts";

interface Stores {
  tokens: Pick<TokenStore, "find">;
  notices: Pick<NoticeStore, "add">;
}

/**
 * Stores what cannot wait for the daily search: leaks, and requests for confirmation. Returns the notices that are to be sent: those that
 * are new, and those that could not be sent before.
 */
export const addImmediateNotices = async (
  calls: readonly UrgentCall[],
  { tokens, notices }: Stores,
  now: string,
): Promise<NoticeRecord[]> => {
  const unsent: NoticeRecord[] = [];
  for (const [tokenId, ofToken] of Map.groupBy(calls, ({ token_id }) => token_id)) {
    const record = await tokens.find(tokenId);
    if (!record) continue;
    const token = tokenAnswer(record);
    const leaks = ofToken.flatMap((call) => (call.leak ? [leakNotice(token, call.leak)] : []));
    const waiting = ofToken.some(({ leak }) => leak === undefined)
      ? dueNotices(token, now).filter(({ kind }) => kind === "confirmation_waiting")
      : [];
    for (const notice of [...leaks, ...waiting]) {
      const added = await notices.add(notice, now);
      if (added.unsent) unsent.push(added.unsent);
    }
  }
  return unsent;
};
