import { deletableAfter } from "../../dynamodb/formats.ts";
import { invalidResponse } from "../../dynamodb/records.ts";
import { type Table, table } from "../../dynamodb/table.ts";
import { channels, type NoticeRecord, type NoticeStore, noticeFields } from "./notice-store.ts";

/** Longer than a year, so that a sent notice stays known for as long as it can be found again. */
const keptSeconds = 400 * 24 * 60 * 60;

/** Stores notices in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live. */
export const dynamodbNoticeStore = (table: Table<NoticeRecord>): NoticeStore => ({
  async list(request) {
    const { records, next } = await table.page(request);
    return { notices: records, ...(next !== undefined && { next }) };
  },

  async add({ notice_id, kind, token_id, comment, ip, details }, found_at) {
    const record: NoticeRecord = {
      notice_id,
      kind,
      comment,
      details: JSON.stringify(details),
      found_at,
      topic: "pending",
      bus: "pending",
      ...(token_id !== null && { token_id }),
      ...(ip !== null && { ip }),
    };
    const { notice_id: _, ...fields } = record;
    const values = { ...fields, delete_at: deletableAfter(found_at, keptSeconds) };
    const added = await table.update(
      { notice_id },
      {
        condition: "attribute_not_exists(notice_id)",
        expression: `SET ${Object.keys(values)
          .map((name) => `#${name} = :${name}`)
          .join(", ")}`,
        values,
        returnsItemIfRefused: true,
      },
    );
    if (added.applied) return { isNew: true, unsent: record };
    const { item, isRepeated } = added;
    if (!item) throw invalidResponse("A notice was refused although there is none with its id.");
    const isUnsent = channels.some((channel) => item[channel]?.S === "pending");
    return {
      // An SDK attempt whose response was lost may have stored it.
      isNew: isRepeated && item.found_at?.S === found_at,
      unsent: isUnsent ? table.read(item) : undefined,
    };
  },

  async claim(notice_id, { channel, id }, now) {
    const claimed = await table.update(
      { notice_id },
      {
        condition: `#${channel} = :pending`,
        expression: `SET #${channel} = :sending, ${channel}_attempt = :attempt, ${channel}_attempt_at = :now`,
        values: { pending: "pending", sending: "sending", attempt: id, now },
        returnsItemIfRefused: true,
      },
    );
    // An SDK attempt whose response was lost may have made the claim.
    return claimed.applied || claimed.item?.[`${channel}_attempt`]?.S === id;
  },

  async settle(notice_id, { channel, id }, state) {
    await table.update(
      { notice_id },
      {
        condition: `#${channel} = :sending AND ${channel}_attempt = :attempt`,
        expression: `SET #${channel} = :state`,
        values: { sending: "sending", attempt: id, state },
      },
    );
  },
});

export const notices = table<NoticeRecord, NoticeStore>({
  partitionKey: "notice_id",
  timeToLive: "delete_at",
  fields: noticeFields,
  rights: {
    list: ["Scan"],
    add: ["UpdateItem"],
    claim: ["UpdateItem"],
    settle: ["UpdateItem"],
  },
  createStore: dynamodbNoticeStore,
  example: {
    notice_id: "token_expires:01KAK3Y0V9QX8M4N2R7T5W1Y0B:2026-12-21T10:15:30.123Z:30",
    kind: "token_expires",
    token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    comment: "billing sync",
    ip: "198.51.100.7",
    details: '{"expires_at":"2026-12-21T10:15:30.123Z","days":"30"}',
    found_at: "2026-11-21T10:15:30.123Z",
    topic: "sent",
    bus: "sent",
  },
});
