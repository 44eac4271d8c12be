import { expect, test } from "vitest";
import { relativeTime, utcTime } from "../../../web/parts/time.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");

test.each([
  ["2026-11-21T12:00:20.000Z", "in less than a minute"],
  ["2026-11-21T11:59:20.000Z", "just now"],
  ["2026-11-21T11:58:30.000Z", "1 minute ago"],
  ["2026-11-22T11:59:50.000Z", "in 1 day"],
  ["2026-11-22T23:00:00.000Z", "in 1 day"],
  ["2026-11-21T15:10:00.000Z", "in 3 hours"],
  ["2027-11-21T12:00:00.000Z", "in 1 year"],
  ["2025-10-01T12:00:00.000Z", "1 year ago"],
])("%s reads as %s", (time, text) => {
  expect(relativeTime(time, now)).toBe(text);
});

test("an exact time is given to the second in UTC", () => {
  expect(utcTime("2026-11-21T12:00:20.123Z")).toBe("2026-11-21 12:00:20 UTC");
});
