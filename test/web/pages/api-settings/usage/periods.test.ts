import { describe, expect, test } from "vitest";
import type { UsageHour } from "../../../../../web/api/types.ts";
import {
  callsIn,
  countsText,
  periodsOf,
  spanOf,
  tickOf,
  topOf,
  totalOf,
} from "../../../../../web/pages/api-settings/usage/periods.ts";

const hour = (hour: string, statuses: Record<string, number>, codes: Record<string, number> = {}): UsageHour => ({
  ...{ hour, statuses, codes, leak_signals: 0 },
});

/** The last of the 168 hours that start here is 2026-11-21T16. */
const from = "2026-11-14T17:00:00.000Z";

describe("a day of usage", () => {
  const periods = periodsOf(
    {
      from,
      hours: [
        hour("2026-11-20T16:00:00.000Z", { "2xx": 9 }),
        hour("2026-11-20T17:00:00.000Z", { "2xx": 1 }),
        hour("2026-11-21T16:00:00.000Z", { "2xx": 2, "3xx": 1, "4xx": 4, "5xx": 8 }, { key_not_found: 4 }),
      ],
    },
    "day",
  );

  test("covers the last 24 hours, including those without calls", () => {
    expect(periods).toHaveLength(24);
    expect(periods.map(callsIn)).toEqual([1, ...Array(22).fill(0), 15]);
    expect(periods.at(-1)).toEqual({
      from: "2026-11-21T16:00:00.000Z",
      to: "2026-11-21T17:00:00.000Z",
      counts: { answered: 3, refused: 4, failed: 8 },
      codes: { key_not_found: 4 },
    });
    expect(totalOf(periods)).toEqual({ answered: 4, refused: 4, failed: 8 });
  });

  test("has a tick every six hours", () => {
    expect(periods.flatMap((period) => tickOf(period, "day") ?? [])).toEqual(["18:00", "00:00", "06:00", "12:00"]);
  });
});

test("a week of usage has four periods per UTC day, with a tick at each midnight, and loses no hour", () => {
  const hours = Array.from({ length: 168 }, (_, index) =>
    hour(new Date(Date.parse(from) + index * 3_600_000).toISOString(), { "2xx": 1 }),
  );
  const periods = periodsOf({ from, hours }, "week");

  expect(totalOf(periods).answered).toBe(168);
  expect(periods.map(callsIn)).toEqual([1, ...Array(27).fill(6), 5]);
  expect(periods.flatMap((period) => tickOf(period, "week") ?? []).at(0)).toBe("Nov 15");
  expect(periods.map(spanOf)).toContain("Nov 20, 18:00–00:00");
});

test("outcomes are listed in words, without those that did not occur", () => {
  expect(countsText({ counts: { answered: 1200, refused: 0, failed: 3 } })).toBe("1,200 answered, 3 failed");
  expect(countsText({ counts: { answered: 0, refused: 0, failed: 0 } })).toBe("no calls");
});

test.each([
  [0, 4],
  [4, 4],
  [5, 6],
  [61, 80],
  [100, 100],
  [101, 200],
  [9_999, 10_000],
])("a highest bar of %i results in a scale up to %i", (highest, top) => {
  expect(topOf(highest)).toBe(top);
});
