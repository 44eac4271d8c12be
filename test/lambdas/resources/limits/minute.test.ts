import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { minuteOf, secondsToNextMinute } from "../../../../lambdas/middlewares/limit-rate.ts";

const time = fc.integer({ min: 0, max: Date.parse("2099-12-31T23:59:59.999Z") });

describe("a minute of the clock", () => {
  test("is written as the limit store stores it", () => {
    expect(minuteOf(Date.parse("2026-11-21T10:15:59.999Z"))).toBe("2026-11-21T10:15Z");
    expect(minuteOf(Date.parse("2026-11-21T10:16:00.000Z"))).toBe("2026-11-21T10:16Z");
  });

  test.for([
    ["10:15:00.000", 60],
    ["10:15:00.001", 60],
    ["10:15:59.000", 1],
    ["10:15:59.999", 1],
  ] as const)("at %s ends in %i seconds", ([at, seconds]) => {
    expect(secondsToNextMinute(Date.parse(`2026-11-21T${at}Z`))).toBe(seconds);
  });

  test("is over after the announced number of seconds, and not a second earlier", () => {
    fc.assert(
      fc.property(time, (now) => {
        const end = now + secondsToNextMinute(now) * 1000;
        expect(minuteOf(end)).not.toBe(minuteOf(now));
        expect(minuteOf(end - 1_001)).toBe(minuteOf(now));
      }),
    );
  });
});
