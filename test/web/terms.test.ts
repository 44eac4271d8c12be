import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  describeRateLimit,
  endAfterGrace,
  expiresAt,
  termsLike,
  termsOf,
  unchangedExpiry,
} from "../../web/admin/records/terms.ts";
import { exampleToken, inDays, now } from "./record-examples.ts";

describe("the expiry of a token", () => {
  const current = "2027-01-01T00:00:00.000Z";
  test.each([
    ["the preset number of days from now", { preset: "30", date: "" }, null, "2026-12-21T12:00:00.000Z"],
    ["the one that the token has if it is not to change", unchangedExpiry, current, current],
    ["none if the token has none and it is not to change", unchangedExpiry, null, null],
    ["none for a token that never expires", { preset: "never", date: "" }, current, null],
    ["missing without a date", { preset: "date", date: "" }, null, undefined],
    ["missing for a date in the past", { preset: "date", date: "2020-01-01" }, null, undefined],
    ["missing for a date that does not exist", { preset: "date", date: "2026-13-01" }, null, undefined],
  ])("is %s", (_, expiry, has, end) => {
    expect(expiresAt(expiry, now, has)).toBe(end);
  });

  test.each([
    ["UTC", "2027-06-30T23:59:59.999Z"],
    ["Asia/Tokyo", "2027-06-30T14:59:59.999Z"],
    ["America/New_York", "2027-07-01T03:59:59.999Z"],
  ])("is the end of a day in the admin's time zone: %s", (TZ, end) => {
    // A thread cannot change its time zone.
    const script = `const { expiresAt } = await import("./web/admin/records/terms.ts");
      console.log(expiresAt({ preset: "date", date: "2027-06-30" }, ${now}));`;
    const env = { ...process.env, TZ };
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { env }).toString().trim()).toBe(end);
  });
});

test.each([
  ["after its grace", 3_600, null, "2026-11-21T13:00:00.000Z"],
  ["never later than it would have ended anyway", 86_400, "2026-11-21T18:00:00.000Z", "2026-11-21T18:00:00.000Z"],
])("a rotated token ends %s", (_, grace, expiry, end) => {
  expect(endAfterGrace(grace, expiry, now)).toBe(end);
});

describe("the entered terms", () => {
  const typed = { comment: "c", expires_at: { preset: "never", date: "" }, rate_limit: "" };
  test.each([
    ["", null],
    ["60", 60],
    ["0", 0],
  ])("convert the limit %j to %j, and leave the range check to the service", (text, rate_limit) => {
    expect(termsOf({ ...typed, rate_limit: text }, now)).toEqual({ comment: "c", expires_at: null, rate_limit });
  });

  test.each([
    ...["1e3", "1.5", "-1", "many"].map((rate_limit) => ({ rate_limit })),
    { comment: "😀".repeat(256) },
    { expires_at: { preset: "date", date: "" } },
  ])("are not sent while they are invalid: %o", (wrong) => {
    expect(() => termsOf({ ...typed, ...wrong }, now)).toThrow("Correct the marked fields.");
  });
});

test.each([
  [null, "None"],
  [1, "1 request per minute"],
  [100_000, "100,000 requests per minute"],
])("a limit of %s is displayed as %j", (limit, words) => {
  expect(describeRateLimit(limit)).toBe(words);
});

test.each([
  ["never, like its own", null, { preset: "never", date: "" }],
  ["on the same day", new Date(2027, 5, 30, 12).toISOString(), { preset: "date", date: "2027-06-30" }],
  ["after the closest of the usual lifetimes, once it has ended", inDays(-1), { preset: "90", date: "" }],
])("a client that is invited again gets the same terms, and its token ends %s", (_, end, expires_at) => {
  const earlier = exampleToken({ issued_at: inDays(-50), expires_at: end, rate_limit: 600 });
  expect(termsLike(earlier, now)).toEqual({ comment: "billing sync", rate_limit: "600", expires_at });
});
