import { expect, test } from "vitest";
import { readFilterPattern } from "../../src/assembly/filter-pattern.ts";

const requests = '{ $.message = "request" && $.token_id = * }';

test.each([
  [requests, { message: "request", token_id: "01J" }, true],
  [requests, { message: "request" }, false],
  [requests, { message: "other", token_id: "01J" }, false],
  [requests, null, false],
  ['{ ($.level = "error") || ($.record.status = "timeout") }', { record: { status: "timeout" } }, true],
  ['{ ($.level = "error") || ($.record.status = "timeout") }', { level: "info", record: {} }, false],
  ["{ $.status >= 500 }", { status: 503 }, true],
  ["{ $.status >= 500 }", { status: "503" }, false],
  ["{ $.cold_start IS TRUE }", { cold_start: true }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: "true" }, false],
])("%s lets %o through: %s", (pattern, line, expected) => {
  expect(readFilterPattern(pattern)(line)).toBe(expected);
});

test.each(["ERROR", "{ $.status != 200 }", "{ $.a = 1 && $.b NOT EXISTS }"])(
  "%s, which the local run does not support, is refused",
  (pattern) => {
    expect(() => readFilterPattern(pattern)).toThrow(/filter pattern|a condition that a local run does not support/);
  },
);
