import { expect, test } from "vitest";
import { endAfterGrace } from "../../../../../web/tokens/terms.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");

test("a rotated token ends after its grace", () => {
  expect(endAfterGrace(3600, null, now)).toBe("2026-11-21T13:00:00.000Z");
});

test("a rotated token never ends later than it would have ended anyway", () => {
  expect(endAfterGrace(86_400, "2026-11-21T18:00:00.000Z", now)).toBe("2026-11-21T18:00:00.000Z");
});
