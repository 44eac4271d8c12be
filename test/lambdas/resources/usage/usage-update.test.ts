import { describe, expect, test } from "vitest";
import { type Item, toItem } from "../../../../lambdas/dynamodb/records.ts";
import type { Refusal } from "../../../../lambdas/resources/usage/refusal.ts";
import { toUsageHour, usageUpdate } from "../../../../lambdas/resources/usage/usage-hour.ts";
import type { UsageHour } from "../../../../lambdas/resources/usage/usage-store.ts";

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

const update = (fields: Partial<UsageHour>, known?: Item) =>
  usageUpdate(
    { hour: entry, statuses: { "2xx": 1 }, codes: {}, leak_signals: 0, leaks: [], refusals: [], ...fields },
    "one batch",
    known,
  );

/** The refusals that an empty item holds after an update. */
const stored = (refusals: Refusal[]): Refusal[] =>
  toUsageHour(toItem({ ...update({ refusals }).values, batches: undefined }), { subject: "token", entry }).refusals;

describe("an update", () => {
  test("adds the counts, sets the times, and omits what is absent", () => {
    const { expression, values } = update({
      statuses: { "2xx": 2 },
      codes: { key_not_found: 1 },
      leak_signals: 3,
      last_used_at: at(2),
    });
    expect(expression).toBe(
      "ADD status_2xx :status_2xx, code_key_not_found :code_key_not_found, leak_signals :leak_signals, batches :batches SET delete_at = :delete_at, last_used_at = :last_used_at",
    );
    expect(values).toMatchObject({ status_2xx: 2, code_key_not_found: 1, leak_signals: 3, last_used_at: at(2) });
  });

  test("with several refusals for one reason and address keeps the latest, in any order", () => {
    for (const minutes of [
      [1, 3, 2],
      [3, 2, 1],
      [2, 1, 3],
    ]) {
      expect(stored(minutes.map((minute) => refusal(minute)))).toEqual([refusal(3)]);
    }
  });

  test("leaves a later refusal and a later use as they are", () => {
    const slot = Object.keys(update({ refusals: [refusal(1)] }).values).find((name) => name.startsWith("refusal_"));
    const known = toItem({ [String(slot)]: JSON.stringify(refusal(9)), last_used_at: at(9) });
    const { values } = update({ refusals: [refusal(1)], last_used_at: at(1) }, known);
    expect(values).not.toHaveProperty(String(slot));
    expect(values).not.toHaveProperty("last_used_at");
  });

  test("puts a leak and another refusal with the same reason and address into different slots", () => {
    const both = [refusal(2), refusal(1, { leak: true })];
    expect(stored(both)).toEqual(both);
  });
});
