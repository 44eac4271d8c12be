import * as z from "zod/mini";
import { oneOf, optional, text, textOfLength, time } from "../../dynamodb/formats.ts";
import { table } from "../../dynamodb/table.ts";
import { isCanonicalIp } from "../tokens/ip-address.ts";
import { commentLength } from "../tokens/token-limits.ts";
import { isTokenId } from "../tokens/token-text.ts";
import { dynamodbNoticeStore } from "./dynamodb-notice-store.ts";
import { noticeKinds } from "./notice.ts";
import { deliveryStates, type NoticeRecord, type NoticeStore } from "./notice-store.ts";

const details = z.record(z.string(), z.string());

const areDetails = (stored: string): boolean => {
  try {
    return z.safeParse(details, JSON.parse(stored)).success;
  } catch {
    return false;
  }
};

export const notices = table<NoticeRecord, NoticeStore>({
  partitionKey: "notice_id",
  timeToLive: "delete_at",
  fields: {
    notice_id: text(),
    kind: oneOf(noticeKinds),
    token_id: optional(text({ description: "the id of a token", isValid: isTokenId })),
    comment: textOfLength(commentLength),
    ip: optional(text({ description: "a canonical IP address", isValid: isCanonicalIp })),
    details: text({ description: "JSON with texts", isValid: areDetails }),
    found_at: time,
    topic: oneOf(deliveryStates),
    bus: oneOf(deliveryStates),
    topic_attempt: optional(text()),
    topic_attempt_at: optional(time),
    bus_attempt: optional(text()),
    bus_attempt_at: optional(time),
  },
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
