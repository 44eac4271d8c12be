import * as z from "zod/mini";
import { oneOf, optional, text, textOfLength, time } from "../../dynamodb/formats.ts";
import type { RecordOf } from "../../dynamodb/records.ts";
import type { PageRequest } from "../../dynamodb/table.ts";
import { isCanonicalIp } from "../tokens/ip-address.ts";
import { commentLength } from "../tokens/token-limits.ts";
import { isTokenId } from "../tokens/token-value.ts";
import { type Notice, noticeKinds } from "./notice.ts";

/** Where notices are sent: a topic for people, and an event bus for programs. */
export const channels = ["topic", "bus"] as const;

export type Channel = (typeof channels)[number];

/**
 * The state of a delivery. `sending` is stored before an attempt. A notice that may or may not have arrived stays `sending`, and
 * later becomes `uncertain`. Only `pending` notices are sent.
 */
export const deliveryStates = ["pending", "sending", "sent", "uncertain"] as const;

export type DeliveryState = (typeof deliveryStates)[number];

const details = z.record(z.string(), z.string());

const areDetails = (stored: string): boolean => {
  try {
    return z.safeParse(details, JSON.parse(stored)).success;
  } catch {
    return false;
  }
};

/** The fields of a stored notice. */
export const noticeFields = {
  /** A stored notice. */
  notice_id: text(),
  kind: oneOf(noticeKinds),
  token_id: optional(text({ description: "the id of a token", isValid: isTokenId })),
  comment: textOfLength(commentLength),
  ip: optional(text({ description: "a canonical IP address", isValid: isCanonicalIp })),
  /** JSON. */
  details: text({ description: "JSON with texts", isValid: areDetails }),
  found_at: time,
  topic: oneOf(deliveryStates),
  bus: oneOf(deliveryStates),
  /** The running or last attempt, and when it began. */
  topic_attempt: optional(text()),
  topic_attempt_at: optional(time),
  bus_attempt: optional(text()),
  bus_attempt_at: optional(time),
};

export type NoticeRecord = RecordOf<typeof noticeFields>;

/** An attempt to send notices, with a unique id. */
export interface Attempt {
  channel: Channel;
  id: string;
}

export interface AddedNotice {
  isNew: boolean;
  /** The stored notice, if it still has to be sent on a channel. */
  unsent: NoticeRecord | undefined;
}

export interface NoticeStore {
  list(page: Pick<PageRequest, "limit" | "after" | "unreadable">): Promise<{ notices: NoticeRecord[]; next?: string }>;
  /** Stores a notice unless it is already stored. */
  add(notice: Notice, foundAt: string): Promise<AddedNotice>;
  /** Claims a pending notice for an attempt. Returns false if another attempt has claimed it. */
  claim(noticeId: string, attempt: Attempt, now: string): Promise<boolean>;
  /** Stores the outcome of an attempt, unless it is already stored. */
  settle(noticeId: string, attempt: Attempt, state: Exclude<DeliveryState, "sending">): Promise<void>;
}

/** A notice as it is sent. */
export interface FoundNotice extends Notice {
  found_at: string;
}

/** Returns the notice in a record. */
export const noticeOf = ({ notice_id, kind, token_id, comment, ip, details, found_at }: NoticeRecord): FoundNotice => ({
  notice_id,
  kind,
  token_id: token_id ?? null,
  comment,
  ip: ip ?? null,
  details: JSON.parse(details),
  found_at,
});
