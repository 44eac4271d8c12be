import { describe, expect, test } from "vitest";
import { fromField, toField } from "../../../../../web/pages/history/history-filters.ts";

describe("a field for date and time", () => {
  test.each(["2026-11-01T00:00:00.000Z", "2026-06-21T12:30:45.000Z"])("shows %s, and gives it back", (time) => {
    expect(fromField(toField(time))).toBe(time);
  });

  test("shows whole minutes without seconds, as a browser does", () => {
    expect(toField("2026-11-01T00:30:00.000Z")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  });

  test.each(["", "2026-13"])("gives no time for %j", (text) => {
    expect(fromField(text)).toBeUndefined();
  });

  test("is empty without a time", () => {
    expect(toField(undefined)).toBe("");
  });
});
