import { expect, test } from "vitest";
import { rotationProgress } from "../../../../../web/pages/api-settings/usage/use-usage.ts";

const time = "2026-11-21T12:00:00.000Z";

test.each([
  ["old-in-use", "info", true, time],
  ["old-in-use", "warn", true, null],
  ["changed", "info", false, time],
  ["successor-unused", "info", false, null],
  ["unknown", "warn", false, null],
])(
  "a rotation is %s with log level %s, the old token used since: %s, the successor first used: %s",
  (progress, log_level, used_since, successor_first_used_at) => {
    const rotation = {
      rotated_at: time,
      successor_id: "01J00000000000000000000000",
      successor_first_used_at,
      used_since,
    };
    expect(rotationProgress({ log_level }, rotation)).toBe(progress);
  },
);
