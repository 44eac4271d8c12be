import { randomUUID } from "node:crypto";
import { describeCause, log } from "../../log.ts";
import type { Attempt, NoticeRecord, NoticeStore } from "../../resources/notices/notice-store.ts";
import { noticeOf } from "../../resources/notices/notice-store.ts";
import { NotSent, type Sender } from "./channels.ts";
import { inTurn } from "./in-turn.ts";

/** How often a batch that certainly was not sent is tried again before it is left for later. */
const tries = 3;

interface Delivered {
  sent: number;
  /** Notices that were not sent and remain for a later run. */
  left: number;
}

/**
 * Sends the notices that are pending on each channel.
 *
 * Before an attempt, each notice is marked as being sent. It becomes pending again only if it certainly was not sent. Otherwise
 * nothing would be left of the choice between sending a notice twice and never: one that may have arrived stays marked, and
 * `findUncertain` reports it.
 */
export const deliver = async (
  records: readonly NoticeRecord[],
  { store, senders }: { store: Pick<NoticeStore, "claim" | "settle">; senders: readonly Sender[] },
): Promise<Delivered> => {
  let sent = 0;
  let left = 0;
  for (const sender of senders) {
    const pending = records.filter((record) => record[sender.channel] === "pending");
    for (let start = 0; start < pending.length; start += sender.batchSize) {
      let batch = pending.slice(start, start + sender.batchSize);
      for (let count = 0; count < tries && batch.length > 0; count += 1) {
        const size = batch.length;
        batch = await attemptBatch(batch, sender, store);
        sent += size - batch.length;
      }
      left += batch.length;
    }
  }
  return { sent, left };
};

/** Makes one attempt, and returns the notices that certainly were not sent. */
const attemptBatch = async (
  batch: readonly NoticeRecord[],
  { channel, send }: Sender,
  store: Pick<NoticeStore, "claim" | "settle">,
): Promise<NoticeRecord[]> => {
  const attempt: Attempt = { channel, id: randomUUID() };
  const now = new Date().toISOString();
  const claimed: NoticeRecord[] = [];
  await inTurn(batch, async (record) => {
    if (await store.claim(record.notice_id, attempt, now)) claimed.push(record);
  });
  if (claimed.length === 0) return [];

  let refused: ReadonlySet<string>;
  try {
    refused = await send(claimed.map(noticeOf));
  } catch (error) {
    log("error", { message: "notices_not_sent", channel, notices: claimed.length, cause: describeCause(error) });
    if (!(error instanceof NotSent)) throw error;
    refused = new Set(claimed.map(({ notice_id }) => notice_id));
  }
  await inTurn(claimed, ({ notice_id }) =>
    store.settle(notice_id, attempt, refused.has(notice_id) ? "pending" : "sent"),
  );
  return claimed.filter(({ notice_id }) => refused.has(notice_id));
};
