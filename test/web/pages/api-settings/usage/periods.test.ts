import { describe, expect, test } from "vitest";
import type { UsageHour } from "../../../../../web/api/types.ts";
import {
  boundaryNote,
  callsIn,
  countsText,
  periodsOf,
  spanOf,
  tickOf,
  topOf,
  totalOf,
  utcSpanOf,
} from "../../../../../web/pages/api-settings/usage/periods.ts";
import { zoneFormat } from "../../../../../web/parts/time.ts";

const hour = (hour: string, statuses: Record<string, number>, codes: Record<string, number> = {}): UsageHour => ({
  ...{ hour, statuses, codes, leak_signals: 0 },
});

const utc = zoneFormat("UTC");
const kolkata = zoneFormat("Asia/Kolkata");

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
    expect(periods.flatMap((period) => tickOf(period, "day", utc) ?? [])).toEqual(["18:00", "00:00", "06:00", "12:00"]);
    expect(periods.flatMap((period) => tickOf(period, "day", kolkata) ?? [])).toEqual([
      "00:30",
      "06:30",
      "12:30",
      "18:30",
    ]);
  });
});

describe("a week of usage", () => {
  const everyHour = (begin: string) => ({
    from: begin,
    hours: Array.from({ length: 168 }, (_, index) =>
      hour(new Date(Date.parse(begin) + index * 3_600_000).toISOString(), { "2xx": 1 }),
    ),
  });

  test.each([
    ["UTC", [1, ...Array(27).fill(6), 5], "Nov 15", "2026-11-20, 18:00–00:00"],
    ["Asia/Kolkata", [2, ...Array(27).fill(6), 4], "Nov 15", "2026-11-20, 18:30–00:30"],
    ["America/St_Johns", [5, ...Array(27).fill(6), 1], "Nov 15", "2026-11-20, 18:30–00:30"],
  ])("in %s has four periods per day of the viewer, with a tick at each day, and loses no hour", (...row) => {
    const [zone, calls, firstTick, span] = row;
    const format = zoneFormat(zone);
    const periods = periodsOf(everyHour(from), "week", format);
    expect(periods.map(callsIn)).toEqual(calls);
    expect(totalOf(periods).answered).toBe(168);
    expect(periods.flatMap((period) => tickOf(period, "week", format) ?? []).at(0)).toBe(firstTick);
    expect(periods.map((period) => spanOf(period, format))).toContain(span);
  });

  test("has a longer period where the clock is set back, and loses no hour", () => {
    const format = zoneFormat("America/St_Johns");
    const periods = periodsOf(everyHour("2026-10-29T00:00:00.000Z"), "week", format);
    expect(periods.map(callsIn).filter((calls) => calls === 7)).toHaveLength(1);
    expect(totalOf(periods).answered).toBe(168);
  });
});

test("a period is named by the viewer's clock, and by UTC beside it", () => {
  const [period] = periodsOf({ from, hours: [] }, "day");
  if (!period) throw new Error("A day has periods.");
  expect(spanOf(period, kolkata)).toBe("2026-11-20, 22:30–23:30");
  expect(utcSpanOf(period)).toBe("2026-11-20, 17:00–18:00 UTC");
});

test("a zone that is not whole hours from UTC comes with the reason why bars do not begin on the hour", () => {
  expect(boundaryNote(from, utc)).toBe("");
  expect(boundaryNote(from, kolkata)).toMatch("each bar starts 30 minutes past the hour");
  expect(boundaryNote(from, zoneFormat("Asia/Kathmandu"))).toMatch("each bar starts 45 minutes past the hour");
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
