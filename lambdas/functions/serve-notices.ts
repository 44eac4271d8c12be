import * as z from "zod/mini";
import { audit } from "../log.ts";
import { channels } from "../resources/notices/notice-store.ts";
import * as tables from "../resources/tables.ts";
import { noticeSearch } from "../resources/uses.ts";
import { createStores, type StoresOptions } from "./create-stores.ts";
import { archiveHistories } from "./notices/archive-histories.ts";
import { connectSenders, type Sender } from "./notices/channels.ts";
import { deliver, requireDelivered } from "./notices/deliver.ts";
import { findNotices, findUncertain, readNotices } from "./notices/find-notices.ts";

/** What the schedule sends, and what the check of a new version sends, which changes nothing. */
export const noticeTask = z.strictObject({ task: z.enum(["daily", "check"]) });

interface NoticesOptions extends StoresOptions {
  senders?: readonly Sender[];
}

/**
 * The Lambda handler of the notices function, which a schedule starts once a day: moves the histories of deleted keys, finds
 * what somebody should know about tokens, and sends it.
 *
 * Each part can be repeated at any time. If something could not be sent, the run fails, Lambda repeats it twice within minutes, and
 * the next run sends what is left.
 */
export const serveNotices = ({ senders = connectSenders(), ...options }: NoticesOptions = {}) => {
  const stores = createStores(noticeSearch, tables, options);

  return async (event: unknown): Promise<{ checked: true } | null> => {
    const { task } = z.parse(noticeTask, event);
    if (task === "check") {
      await stores.notices.list({ limit: 1 });
      return { checked: true };
    }
    const now = new Date().toISOString();
    const archived = await archiveHistories(stores, now);
    const known = await readNotices(stores.notices);
    const uncertain = await findUncertain(known, stores.notices, now);
    const found = await findNotices(known, stores, now);
    const pending = found + uncertain === 0 ? known : await readNotices(stores.notices);
    const delivered = await deliver(
      pending.filter((record) => channels.some((channel) => record[channel] === "pending")),
      { store: stores.notices, senders },
    );
    audit({ message: "notices", found, ...delivered, uncertain, archived });
    requireDelivered(delivered);
    return null;
  };
};
