import { describe, expect, test } from "vitest";
import { expiresAt, unchangedExpiry } from "../../../../../web/tokens/terms.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");

describe("the expiry of a token", () => {
  test("is the preset number of days from now", () => {
    expect(expiresAt({ preset: "30", date: "" }, now)).toBe("2026-12-21T12:00:00.000Z");
  });

  test("is the one that a token has if it is not to change, even if that is never", () => {
    const current = "2027-01-01T00:00:00.000Z";
    expect(expiresAt(unchangedExpiry, now, current)).toBe(current);
    expect(expiresAt(unchangedExpiry, now, null)).toBeNull();
  });

  test("is null for a token that never expires", () => {
    expect(expiresAt({ preset: "never", date: "" }, now)).toBeNull();
  });

  test("is the end of the chosen day in the admin's time zone", () => {
    expect(expiresAt({ preset: "date", date: "2027-06-30" }, now)).toBe(
      new Date(2027, 5, 30, 23, 59, 59, 999).toISOString(),
    );
  });

  test.each(["", "2020-01-01", "2026-13-01"])("is missing for the date %j", (date) => {
    expect(expiresAt({ preset: "date", date }, now)).toBeUndefined();
  });
});
