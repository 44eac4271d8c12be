import { expect, test } from "vitest";
import { localTime, relativeTime, utcTime, zoneFormat, zoneName } from "../../../web/parts/time.ts";

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

test.each([
  ["Asia/Kolkata", "2026-11-22 03:00:20 GMT+5:30", "India Standard Time (GMT+5:30)"],
  ["America/St_Johns", "2026-11-21 18:00:20 GMT-3:30", "Newfoundland Standard Time (GMT-3:30)"],
  ["UTC", "2026-11-21 21:30:20 UTC", "UTC"],
])("in %s a time is shown as %s, and the zone is called %s", (zone, local, name) => {
  const time = "2026-11-21T21:30:20.123Z";
  expect(localTime(time, zoneFormat(zone))).toBe(local);
  expect(zoneName(time, zoneFormat(zone))).toBe(name);
});

test("midnight is 00:00, and the offset is that of the day", () => {
  expect(localTime("2026-07-01T22:00:00.000Z", zoneFormat("Europe/Berlin"))).toBe("2026-07-02 00:00:00 GMT+2");
  expect(localTime("2026-12-01T23:00:00.000Z", zoneFormat("Europe/Berlin"))).toBe("2026-12-02 00:00:00 GMT+1");
});
