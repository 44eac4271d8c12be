import { optional, text, time } from "../../dynamodb/formats.ts";
import { table } from "../../dynamodb/table.ts";
import { dynamodbUsageStore } from "./dynamodb-usage-store.ts";
import { count, countedLeakAddresses, entry, ip, leakAddresses } from "./formats.ts";
import type { UsageRecord, UsageStore } from "./usage-store.ts";

export const usage = table<UsageRecord, UsageStore>({
  partitionKey: "subject",
  sortKey: "entry",
  timeToLive: "delete_at",
  fields: {
    subject: text(),
    entry,
    first_used_at: optional(time),
    last_used_at: optional(time),
    leak_signals: optional(count),
    leak_addresses: optional(countedLeakAddresses.format),
    seen_at: optional(time),
    source_ip: optional(ip),
    addresses: optional(leakAddresses.format),
    unlisted_at: optional(time),
  },
  rights: {
    add: ["UpdateItem"],
    noteLeak: ["UpdateItem"],
    hours: ["Query"],
    leaks: ["Query"],
  },
  createStore: dynamodbUsageStore,
  example: {
    subject: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    entry: "2026-11-21T10:00:00.000Z",
    first_used_at: "2026-11-21T10:15:30.123Z",
    last_used_at: "2026-11-21T10:45:30.123Z",
  },
});
