import { randomUUID } from "node:crypto";
import { type Attempt, type NoticeRecord, type NoticeStore, noticeOf } from "../domain/notices/notices-table.ts";
import { describeCause, log } from "../shared/log.ts";
import { NotSent, type Sender } from "./channels.ts";
import { inGroups } from "./in-groups.ts";

/** How many times a batch that was definitely not sent is tried before it is left for a later run. */
const tries = 3;

/** Topics and buses accept 256 KB per request. */
const mostBytes = 250_000;

/** Maximum bytes that a sentence and a link, or the other fields of an event, add to a stored notice. */
const wordingBytes = 500;

type Store = Pick<NoticeStore, "claim" | "settle">;

/** The number of notices per outcome. A notice counts once per channel. */
interface Delivered {
  sent: number;
  /** Notices that were definitely not sent. A later run sends them. */
  left: number;
  /** Notices that may have been sent. They are not sent again: see `findUncertain`. */
  unknown: number;
}

/**
 * Sends the notices that are pending on each channel.
 *
 * Each notice is marked as `sending` before an attempt. The notice becomes pending again only if it was definitely not sent. If a
 * response is lost or the function ends, the mark stays, so that no notice is sent twice.
 *
 * @throws {Error} if a notice was not sent or may not have arrived, after everything else has been sent
 */
export const deliver = async (
  records: readonly NoticeRecord[],
  { store, senders }: { store: Store; senders: readonly Sender[] },
): Promise<Delivered> => {
  const delivered: Delivered = { sent: 0, left: 0, unknown: 0 };
  for (const sender of senders) {
    const pending = records.filter((record) => record[sender.channel] === "pending");
    for (const batch of batchesOf(pending, sender.batchSize)) {
      let left = batch;
      for (let count = 0; count < tries && left.length > 0; count += 1) {
        const { refused, sent, unknown } = await attemptBatch(left, sender, store);
        delivered.sent += sent;
        delivered.unknown += unknown;
        left = refused;
      }
      delivered.left += left.length;
    }
  }
  return delivered;
};

/**
 * Fails the invocation of a function that could not deliver everything, so that Lambda retries it and an alarm fires.
 *
 * @throws {Error} if notices were not sent or may not have arrived
 */
export const requireDelivered = ({ left, unknown }: Delivered): void => {
  if (left > 0) throw new Error(`${left} notices could not be sent; a later run sends them.`);
  if (unknown > 0) throw new Error(`${unknown} notices may not have arrived; the next run says so.`);
};

/** Splits notices into batches of at most `batchSize` notices and `mostBytes` bytes. */
const batchesOf = (records: readonly NoticeRecord[], batchSize: number): NoticeRecord[][] => {
  const batches: NoticeRecord[][] = [];
  let room = 0;
  for (const record of records) {
    const bytes = Buffer.byteLength(JSON.stringify(record)) + wordingBytes;
    const last = batches.at(-1);
    if (last && last.length < batchSize && bytes <= room) {
      last.push(record);
      room -= bytes;
    } else {
      batches.push([record]);
      room = mostBytes - bytes;
    }
  }
  return batches;
};

/** Makes one attempt. `refused` contains the notices that were definitely not sent. */
const attemptBatch = async (batch: readonly NoticeRecord[], { channel, send }: Sender, store: Store) => {
  const attempt: Attempt = { channel, id: randomUUID() };
  const settle = (records: readonly NoticeRecord[], state: "pending" | "sent") =>
    inGroups(records, ({ notice_id }) => store.settle(notice_id, attempt, state));

  const claimed: NoticeRecord[] = [];
  try {
    await inGroups(batch, async (record) => {
      if (await store.claim(record.notice_id, attempt, new Date().toISOString())) claimed.push(record);
    });
  } catch (error) {
    // Nothing has been sent. If the response to a claim was lost, this also releases the claim.
    await settle(batch, "pending");
    throw error;
  }
  if (claimed.length === 0) return { refused: [], sent: 0, unknown: 0 };

  const isRefused = await send(claimed.map(noticeOf)).then(
    (ids) => (record: NoticeRecord) => ids.has(record.notice_id),
    (error: unknown) => {
      log("error", { message: "notices_not_sent", channel, notices: claimed.length, cause: describeCause(error) });
      return error instanceof NotSent ? () => true : undefined;
    },
  );
  if (!isRefused) return { refused: [], sent: 0, unknown: claimed.length };

  const refused = claimed.filter(isRefused);
  const sent = claimed.filter((record) => !isRefused(record));
  await settle(refused, "pending");
  await settle(sent, "sent");
  return { refused, sent: sent.length, unknown: 0 };
};
