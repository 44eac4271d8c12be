import { describe, expect, test } from "vitest";
import type { Token, Usage, UsageHour } from "../../web/admin/api/types.ts";
import { rotationProgress } from "../../web/admin/pages/tokens/token/token-status.ts";
import { leakSources, leakWarning } from "../../web/admin/pages/tokens/usage/leaks.ts";
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
} from "../../web/admin/pages/tokens/usage/periods.ts";
import { zoneFormat } from "../../web/admin/parts/time.ts";
import { exampleToken } from "./record-examples.ts";

const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, "0")}:00.000Z`;

const calls = (source_ip: string, minute: number, calls = 1) => ({
  source_ip,
  calls,
  first_at: at(minute),
  last_at: at(minute),
});

const refusal = (source_ip: string, minute: number, leak = true) => ({
  time: at(minute),
  code: "ip_not_allowed",
  status: 403,
  route: "GET /api/v1/key",
  source_ip,
  leak,
});

const token = (...dismissed: [ip: string, minute: number][]): Token =>
  exampleToken({
    dismissed_addresses: dismissed.map(([ip, minute]) => ({ ip, dismissed_at: at(minute), dismissed_by: "alice" })),
  });

const usage = (
  addresses: Usage["leaks"]["addresses"],
  refusals: Usage["refusals"] = [],
  unlisted_calls = 0,
): Usage => ({
  token_id: exampleToken().token_id,
  from: at(0),
  log_level: "info",
  hours: [],
  refusals,
  leaks: { addresses, unlisted_calls },
  first_used_at: null,
  last_used_at: null,
  rotation: null,
});

test("lists each wrong address once, whether it has calls or was dismissed", () => {
  const sources = leakSources(token(["192.0.2.1", 5], ["192.0.2.9", 6]), usage([calls("192.0.2.1", 4)]));
  expect(sources.map(({ ip, calls, dismissal }) => [ip, calls?.calls, dismissal?.dismissed_by])).toEqual([
    ["192.0.2.1", 1, "alice"],
    ["192.0.2.9", undefined, "alice"],
  ]);
});

describe("a warning", () => {
  test("covers all addresses that were not dismissed, with their total number of calls", () => {
    const addresses = [calls("192.0.2.3", 9, 2), calls("192.0.2.2", 8, 5), calls("192.0.2.1", 7)];
    expect(leakWarning(token(["192.0.2.2", 10]), usage(addresses))).toEqual({
      calls: 3,
      last: { ip: "192.0.2.3", time: at(9) },
      addresses: ["192.0.2.3", "192.0.2.1"],
      unlistedCalls: 0,
      cause: "token",
    });
  });

  const unlisted = usage([calls("192.0.2.1", 9)], [refusal("192.0.2.77", 20)], 4);
  test.each([
    ["nothing leaked", token(), usage([], [refusal("192.0.2.1", 1, false)])],
    [
      "all addresses are dismissed, although calls from them go on",
      token(["192.0.2.1", 5]),
      usage([calls("192.0.2.1", 30)], [refusal("192.0.2.1", 30)]),
    ],
    ["a dismissal is later than calls from addresses without room in the list", token(["192.0.2.1", 21]), unlisted],
  ])("is absent if %s", (_, dismissing, seen) => {
    expect(leakWarning(dismissing, seen)).toBeUndefined();
  });

  test("includes calls from addresses that are not in the list, until a later dismissal", () => {
    expect(leakWarning(token(["192.0.2.1", 10]), unlisted)).toEqual({
      calls: 4,
      last: { ip: "192.0.2.77", time: at(20) },
      addresses: [],
      unlistedCalls: 4,
      cause: "token",
    });
  });

  const redeemed = { expires_at: at(30), redeemed_at: at(0) };
  test.each([
    ["invitation", { ...redeemed, redeemed_at: null }, ["ip_not_allowed"]],
    ["used invitation", redeemed, ["invitation_used", "invitation_used"]],
    ["token", redeemed, ["invitation_used", "ip_not_allowed"]],
    ["token", redeemed, ["request_rejected"]],
    ["token", redeemed, []],
  ])("says which secret was used: %s", (cause, invitation, codes) => {
    const refusals = codes.map((code) => ({ ...refusal("192.0.2.1", 1), code }));
    const seen = usage([calls("192.0.2.1", 1)], refusals);
    expect(leakWarning({ ...token(), invitation }, seen)?.cause).toBe(cause);
  });
});

test.each([
  ["old-in-use", "info", true, at(0)],
  ["old-in-use", "warn", true, null],
  ["changed", "info", false, at(0)],
  ["new-unused", "info", false, null],
  ["unknown", "warn", false, null],
])("a rotation is %s at log level %s, the old token used since: %s, the successor first used: %s", (...row) => {
  const [progress, log_level, used_since, successor_first_used_at] = row;
  const rotation = { rotated_at: at(0), successor_id: "x", successor_first_used_at, used_since };
  expect(rotationProgress({ log_level }, rotation)).toBe(progress);
});

const hour = (hour: string, statuses: Record<string, number>, codes: Record<string, number> = {}): UsageHour => ({
  hour,
  statuses,
  codes,
  leak_signals: 0,
});

const utc = zoneFormat("UTC");
const kolkata = zoneFormat("Asia/Kolkata");

/** The last of the 168 hours that start here is 2026-11-21T16. */
const from = "2026-11-14T17:00:00.000Z";

describe("a day of usage", () => {
  const hours = [
    hour("2026-11-20T16:00:00.000Z", { "2xx": 9 }),
    hour("2026-11-20T17:00:00.000Z", { "2xx": 1 }),
    hour("2026-11-21T16:00:00.000Z", { "2xx": 2, "3xx": 1, "4xx": 4, "5xx": 8 }, { key_not_found: 4 }),
  ];
  const periods = periodsOf({ from, hours }, "day");

  test("covers the last 24 hours, including hours without calls", () => {
    expect(periods.map(callsIn)).toEqual([1, ...Array(22).fill(0), 15]);
    expect(periods.at(-1)).toEqual({
      from: "2026-11-21T16:00:00.000Z",
      to: "2026-11-21T17:00:00.000Z",
      counts: { answered: 3, refused: 4, failed: 8 },
      codes: { key_not_found: 4 },
    });
    expect(totalOf(periods)).toEqual({ answered: 4, refused: 4, failed: 8 });
  });

  test.each([
    [utc, ["18:00", "00:00", "06:00", "12:00"], "2026-11-20, 17:00–18:00"],
    [kolkata, ["00:30", "06:30", "12:30", "18:30"], "2026-11-20, 22:30–23:30"],
  ])("has a tick every six hours, labelled with the viewer's time and UTC", (format, ticks, span) => {
    expect(periods.flatMap((period) => tickOf(period, "day", format) ?? [])).toEqual(ticks);
    const [first] = periods.map((period) => [spanOf(period, format), utcSpanOf(period)]);
    expect(first).toEqual([span, "2026-11-20, 17:00–18:00 UTC"]);
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
    ["UTC", [1, ...Array(27).fill(6), 5], "2026-11-20, 18:00–00:00"],
    ["Asia/Kolkata", [2, ...Array(27).fill(6), 4], "2026-11-20, 18:30–00:30"],
    ["America/St_Johns", [5, ...Array(27).fill(6), 1], "2026-11-20, 18:30–00:30"],
  ])(
    "in %s has four periods per day in the viewer's time zone, a tick for each day, and no missing hours",
    (zone, calls, span) => {
      const format = zoneFormat(zone);
      const periods = periodsOf(everyHour(from), "week", format);
      expect(periods.map(callsIn)).toEqual(calls);
      expect(periods.flatMap((period) => tickOf(period, "week", format) ?? []).at(0)).toBe("Nov 15");
      expect(periods.map((period) => spanOf(period, format))).toContain(span);
    },
  );

  test("has one longer period and no missing hours when the clock is set back", () => {
    const periods = periodsOf(everyHour("2026-10-29T00:00:00.000Z"), "week", zoneFormat("America/St_Johns"));
    expect(periods.map(callsIn).filter((calls) => calls === 7)).toHaveLength(1);
    expect(totalOf(periods).answered).toBe(168);
  });
});

test.each([
  ["UTC", ""],
  ["Asia/Kolkata", "each bar starts 30 minutes past the hour"],
  ["Asia/Kathmandu", "each bar starts 45 minutes past the hour"],
])("explains why bars do not start on the hour in a zone with a fractional UTC offset: %s", (zone, note) => {
  expect(boundaryNote(from, zoneFormat(zone))).toMatch(note === "" ? /^$/ : note);
});

test("describes outcomes in words, and omits those that did not occur", () => {
  expect(countsText({ counts: { answered: 1200, refused: 0, failed: 3 } })).toBe("1,200 answered, 3 failed");
  expect(countsText({ counts: { answered: 0, refused: 0, failed: 0 } })).toBe("no calls");
});

test("the scale ends at a round number that is not below the highest bar", () => {
  expect([0, 4, 5, 61, 100, 101, 9_999].map(topOf)).toEqual([4, 4, 6, 80, 100, 200, 10_000]);
});
