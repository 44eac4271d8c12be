import { describe, expect, test } from "vitest";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import type { Refusal } from "../../../../lambdas/resources/usage/refusal.ts";
import { toUsageHour, usageUpdate } from "../../../../lambdas/resources/usage/usage-item.ts";
import type { UsageHour } from "../../../../lambdas/resources/usage/usage-store.ts";
import { apiErrorOf } from "../../support/rejection.ts";

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

const hour = (fields: Partial<UsageHour> = {}): UsageHour => ({
  hour: entry,
  statuses: {},
  codes: {},
  leak_signals: 0,
  refusals: [],
  ...fields,
});

/** The hour that an empty item holds after an update. */
const stored = (fields: Partial<UsageHour>): UsageHour =>
  toUsageHour(toItem(usageUpdate(hour(fields)).values), { subject: "token", entry });

describe("an update", () => {
  test("adds the counts, sets the times and the refusals, and omits what is absent", () => {
    expect(usageUpdate(hour({ statuses: { "2xx": 2 }, codes: { key_not_found: 1 }, leak_signals: 3 }))).toEqual({
      adds: ["status_2xx :status_2xx", "code_key_not_found :code_key_not_found", "leak_signals :leak_signals"],
      sets: [],
      values: { status_2xx: 2, code_key_not_found: 1, leak_signals: 3 },
    });
    expect(usageUpdate(hour({ first_used_at: at(1), last_used_at: at(2) }))).toEqual({
      adds: [],
      sets: ["first_used_at = if_not_exists(first_used_at, :first_used_at)", "last_used_at = :last_used_at"],
      values: { first_used_at: at(1), last_used_at: at(2) },
    });
  });

  test("with several refusals for one reason and address keeps the latest, in any order", () => {
    for (const minutes of [
      [1, 3, 2],
      [3, 2, 1],
      [2, 1, 3],
    ]) {
      expect(stored({ refusals: minutes.map((minute) => refusal(minute)) }).refusals).toEqual([refusal(3)]);
    }
  });

  test("puts a leak and another refusal with the same reason and address into different slots", () => {
    const both = [refusal(2), refusal(1, { leak: true })];
    expect(stored({ refusals: both }).refusals).toEqual(both);
  });
});

describe("an hour is read", () => {
  test("with its counts, and without times and leaks if there are none", () => {
    const item = toItem({ status_2xx: 2, status_4xx: 1, code_key_not_found: 1, batches: new Set(["one"]) });
    expect(toUsageHour(item, { subject: "token", entry })).toEqual(
      hour({ statuses: { "2xx": 2, "4xx": 1 }, codes: { key_not_found: 1 } }),
    );
  });

  test("with its refusals, newest first", () => {
    const refusals = [1, 3, 2].map((minute) => refusal(minute, { source_ip: `198.51.100.${minute}` }));
    const item = toItem(Object.fromEntries(refusals.map((one, index) => [`refusal_${index}`, JSON.stringify(one)])));
    expect(toUsageHour(item, { subject: "token", entry }).refusals.map(({ time }) => time)).toEqual([
      at(3),
      at(2),
      at(1),
    ]);
  });

  test.for<[string, ReturnType<typeof toItem>]>([
    ["a count is not a number", { status_2xx: { N: "two" } }],
    ["a count is not whole", { code_unavailable: { N: "1.5" } }],
    ["a count is text", { leak_signals: { S: "1" } }],
    ["a refusal is not JSON", { refusal_0: { S: "{" } }],
    ["a refusal lacks a field", { leak_1: { S: JSON.stringify({ ...refusal(1), status: undefined }) } }],
    ["a refusal is a number", { refusal_2: { N: "1" } }],
  ])("not at all if %s", async ([, item]) => {
    const read = async () => toUsageHour(item, { subject: "token", entry });
    expect((await apiErrorOf(read())).code).toBe("unavailable");
  });
});
