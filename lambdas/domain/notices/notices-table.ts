import * as z from "zod/mini";
import { invalidResponse } from "../../dynamodb/records.ts";
import { type PageRequest, type Table, table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { present } from "../../shared/present.ts";
import { id, text, textThat, time } from "../../shared/validation/fields.ts";
import { jsonText } from "../../shared/validation/json-text.ts";
import { storedIp } from "../tokens/stored-ip.ts";
import { clientLength, commentLength } from "../tokens/token-limits.ts";
import { isTokenId } from "../tokens/token-value.ts";
import { deliveryStates, type FoundNotice, type Notice, noticeKinds } from "./notice.ts";

/** Where notices are sent: a topic for people, and an event bus for programs. */
export const channels = ["topic", "bus"] as const;

export type Channel = (typeof channels)[number];

type DeliveryState = (typeof deliveryStates)[number];

/** A stored notice. */
const noticeSchema = z.object({
  notice_id: z.string(),
  kind: z.enum(noticeKinds),
  token_id: z.exactOptional(textThat(isTokenId, "must be the id of a token.")),
  comment: text(commentLength),
  client: z.exactOptional(id(clientLength)),
  ip: z.exactOptional(storedIp),
  details: jsonText(z.record(z.string(), z.string()), "an object of strings"),
  found_at: time(),
  topic: z.enum(deliveryStates),
  bus: z.enum(deliveryStates),
  /** The running or last attempt, and when it began. */
  topic_attempt: z.exactOptional(z.string()),
  topic_attempt_at: z.exactOptional(time()),
  bus_attempt: z.exactOptional(z.string()),
  bus_attempt_at: z.exactOptional(time()),
});

export type NoticeRecord = z.output<typeof noticeSchema>;

/** An attempt to send notices, with a unique id. */
export interface Attempt {
  channel: Channel;
  id: string;
}

/** Returns the notice in a record. */
export const noticeOf = ({
  notice_id,
  kind,
  token_id,
  comment,
  client,
  ip,
  details,
  found_at,
}: NoticeRecord): FoundNotice => ({
  notice_id,
  kind,
  token_id: token_id ?? null,
  comment,
  client: client ?? null,
  ip: ip ?? null,
  details: JSON.parse(details),
  found_at,
});

/** Longer than a year, so that a sent notice is remembered for as long as the search can find it again. */
const keptSeconds = 400 * 24 * 60 * 60;

/** Stores notices in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live. */
const noticeStore = (table: Table<NoticeRecord>) => ({
  async list(
    request: Pick<PageRequest, "limit" | "after" | "unreadable">,
  ): Promise<{ notices: NoticeRecord[]; next?: string }> {
    const { records, next } = await table.page(request);
    return { notices: records, ...(next !== undefined && { next }) };
  },

  /** Stores a notice unless it is already stored. Returns the stored notice as `unsent` if it still has to be sent on a channel. */
  async add(
    { notice_id, kind, token_id, comment, client, ip, details }: Notice,
    found_at: string,
  ): Promise<{ isNew: boolean; unsent: NoticeRecord | undefined }> {
    const record: NoticeRecord = {
      notice_id,
      kind,
      comment,
      details: JSON.stringify(details),
      found_at,
      topic: "pending",
      bus: "pending",
      ...present({ token_id, client, ip }),
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

  /** Claims a pending notice for an attempt. Returns false if another attempt has claimed it. */
  async claim(notice_id: string, { channel, id }: Attempt, now: string): Promise<boolean> {
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

  /** Stores the outcome of an attempt, unless it is already stored. */
  async settle(notice_id: string, { channel, id }: Attempt, state: Exclude<DeliveryState, "sending">): Promise<void> {
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

export type NoticeStore = ReturnType<typeof noticeStore>;

export const notices = table<NoticeRecord, NoticeStore>({
  partitionKey: "notice_id",
  timeToLive: "delete_at",
  schema: noticeSchema,
  reads: "strictly",
  rights: {
    list: ["Scan"],
    add: ["UpdateItem"],
    claim: ["UpdateItem"],
    settle: ["UpdateItem"],
  },
  createStore: noticeStore,
  example: {
    notice_id: "token_expires:01KAK3Y0V9QX8M4N2R7T5W1Y0B:2026-12-21T10:15:30.123Z:30",
    kind: "token_expires",
    token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    comment: "billing sync",
    client: "acme",
    ip: "198.51.100.7",
    details: '{"expires_at":"2026-12-21T10:15:30.123Z","days":"30"}',
    found_at: "2026-11-21T10:15:30.123Z",
    topic: "sent",
    bus: "sent",
  },
});
