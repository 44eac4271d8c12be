import { expect, test } from "vitest";
import { countedLines } from "../../../../lambdas/resources/usage/request-line.ts";
import { readFilterPattern } from "../../src/logs/filter-pattern.ts";

test.each([
  [countedLines, { message: "request", token_id: "01J" }, true],
  [countedLines, { message: "request" }, false],
  [countedLines, { message: "other", token_id: "01J" }, false],
  [countedLines, null, false],
  ['{ ($.level = "error") || ($.record.status = "timeout") }', { record: { status: "timeout" } }, true],
  ['{ ($.level = "error") || ($.record.status = "timeout") }', { level: "info", record: {} }, false],
  ["{ $.status >= 500 }", { status: 503 }, true],
  ["{ $.status >= 500 }", { status: "503" }, false],
  ["{ $.cold_start IS TRUE }", { cold_start: true }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: "true" }, false],
])("%s judges %o as %s", (pattern, line, expected) => {
  expect(readFilterPattern(pattern)(line)).toBe(expected);
});

test.each(["ERROR", "{ $.status != 200 }", "{ $.a = 1 && $.b NOT EXISTS }"])(
  "%s, which the local run cannot judge by, is refused",
  (pattern) => {
    expect(() => readFilterPattern(pattern)).toThrow(/filter pattern|not a condition/);
  },
);
