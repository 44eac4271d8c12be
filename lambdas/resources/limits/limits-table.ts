import { text, wholeNumber } from "../../dynamodb/formats.ts";
import { table } from "../../dynamodb/table.ts";
import { dynamodbLimitStore } from "./dynamodb-limit-store.ts";
import { type Counter, type LimitStore, limitRange } from "./limit-store.ts";

export const limits = table<Counter, LimitStore>({
  partitionKey: "minute_id",
  timeToLive: "delete_at",
  fields: { minute_id: text(), taken: wholeNumber(limitRange) },
  rights: {
    // The table holds only counters, so restricting the attributes would protect nothing.
    take: ["UpdateItem"],
  },
  createStore: dynamodbLimitStore,
  example: { minute_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B/2026-11-21T10:15Z", taken: 1 },
});
