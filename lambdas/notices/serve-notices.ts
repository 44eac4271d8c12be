import * as z from "zod/mini";
import { createExistingStores, type ExistingStoresOptions } from "../domain/create-stores.ts";
import { noticeSearch } from "../domain/function-uses.ts";
import { channels } from "../domain/notices/notices-table.ts";
import * as tables from "../domain/tables.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { audit, describeCause, log } from "../shared/log.ts";
import { archiveHistories } from "./archive-histories.ts";
import { connectSenders, type Sender } from "./channels.ts";
import { deliver, requireDelivered } from "./deliver.ts";
import { findNotices, findUncertain, readNotices } from "./find-notices.ts";

/** The schedule sends `daily`. Operators send `again` to run the same search without it counting as a scheduled run. */
export const noticeTask = z.strictObject({ task: z.enum(["daily", "again"]) });

interface NoticesOptions extends ExistingStoresOptions {
  senders?: readonly Sender[];
}

/**
 * Creates the Lambda handler of the notices function, which a schedule invokes once a day. It archives the histories of deleted
 * keys, finds the notices that are due, and sends them.
 *
 * Each part can be repeated at any time. If a record is unreadable, a part fails or a notice cannot be sent, the run still does
 * everything else, and then fails. Lambda retries the run twice within minutes, and the next run sends the rest.
 */
export const serveNotices = ({ senders = connectSenders(), ...options }: NoticesOptions = {}) => {
  const stores = createExistingStores(noticeSearch, tables, options);

  return withinInvocation(async (event: unknown): Promise<null> => {
    const { task } = z.parse(noticeTask, event);
    const now = new Date().toISOString();
    let failures = 0;
    const fail = (error: unknown) => {
      failures += 1;
      const { cause = error } = error instanceof Error ? error : {};
      log("error", { message: "notices_failed", cause: describeCause(cause) });
    };
    /** Continues if a part fails, so that the notices of the other parts are still sent. */
    const orZero = (part: Promise<number>) =>
      part.catch((error: unknown) => {
        fail(error);
        return 0;
      });

    const archived = await orZero(archiveHistories(stores, { now, unreadable: fail }));
    const known = await readNotices(stores.notices, fail);
    const uncertain = await orZero(findUncertain(known, stores.notices, now));
    const found = await orZero(findNotices(known, stores, { now, unreadable: fail }));
    const isUnchanged = found + uncertain + failures === 0;
    // Unreadable notices have already been reported.
    const pending = isUnchanged ? known : await readNotices(stores.notices, () => {});
    const delivered = await deliver(
      pending.filter((record) => channels.some((channel) => record[channel] === "pending")),
      { store: stores.notices, senders },
    );
    audit({ message: "notices", task, found, ...delivered, uncertain, archived });
    requireDelivered(delivered);
    if (failures > 0) throw new Error(`${failures} records or parts of the search failed: see the log.`);
    return null;
  });
};
