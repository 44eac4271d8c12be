import { describe, expect, test } from "vitest";
import { type Item, recordReader, toItem } from "../../../../lambdas/dynamodb/records.ts";
import type { Refusal } from "../../../../lambdas/resources/usage/refusal.ts";
import { toUsageHour } from "../../../../lambdas/resources/usage/usage-hour.ts";
import type { UsageHour } from "../../../../lambdas/resources/usage/usage-store.ts";
import { usage } from "../../../../lambdas/resources/usage/usage-table.ts";

const entry = "2026-11-21T15:00:00.000Z";
const at = (minute: number): string => `2026-11-21T15:${String(minute).padStart(2, "0")}:00.000Z`;

const refusal = (minute: number, fields: Partial<Refusal> = {}): Refusal => ({
  time: at(minute),
  code: "validation_failed",
  status: 422,
  source_ip: "198.51.100.7",
  route: "POST /api/v1/key",
  leak: false,
  ...fields,
});

const key = { subject: { S: "token" }, entry: { S: entry } };
const read = (item: Item): UsageHour => toUsageHour(item, recordReader(usage.fields)({ ...key, ...item }));

describe("an hour is read", () => {
  test("with its counts, and without times and leaks if there are none", () => {
    const item = toItem({ status_2xx: 2, status_4xx: 1, code_key_not_found: 1, batches: new Set(["one"]) });
    expect(read(item)).toEqual({
      hour: entry,
      statuses: { "2xx": 2, "4xx": 1 },
      codes: { key_not_found: 1 },
      leak_signals: 0,
      leaks: [],
      refusals: [],
    });
  });

  test("with its refusals, newest first", () => {
    const refusals = [1, 3, 2].map((minute) => refusal(minute, { source_ip: `198.51.100.${minute}` }));
    const item = toItem(Object.fromEntries(refusals.map((one, index) => [`refusal_${index}`, JSON.stringify(one)])));
    expect(read(item).refusals.map(({ time }) => time)).toEqual([at(3), at(2), at(1)]);
  });

  test("with the addresses that version 1.0 has kept in slots, and each address once", () => {
    const leak = (minute: number, source_ip: string) => JSON.stringify(refusal(minute, { source_ip, leak: true }));
    const named = { source_ip: "192.0.2.1", calls: 7, first_at: at(1), last_at: at(9) };
    const item = toItem({
      leak_signals: 8,
      leak_addresses: JSON.stringify([named]),
      leak_0: leak(9, "192.0.2.1"),
      leak_3: leak(4, "192.0.2.2"),
    });
    const kept = { source_ip: "192.0.2.2", calls: 1, first_at: at(4), last_at: at(4) };
    expect(read(item).leaks).toEqual([named, kept]);
    expect(read(toItem({ leak_3: leak(4, "192.0.2.2") })).leaks).toEqual([kept]);
  });

  test("whatever attributes a later version has added", () => {
    expect(read({ status_of_next_year: { S: "x" }, leak_4: { N: "1" }, more: { BOOL: true } })).toMatchObject({
      statuses: {},
      refusals: [],
    });
  });
});
