import { expect, test } from "vitest";
import { readFilterPattern } from "../../src/assembly/log-subscriptions.ts";

const requests = '{ $.message = "request" && $.token_id = * }';

test.each([
  [requests, { message: "request", token_id: "01J" }, true],
  [requests, { message: "request" }, false],
  [requests, { message: "other", token_id: "01J" }, false],
  [requests, null, false],
  ['{ ($.level = "ERROR") || ($.record.status = "timeout") }', { record: { status: "timeout" } }, true],
  ['{ ($.level = "ERROR") || ($.record.status = "timeout") }', { level: "INFO", record: {} }, false],
  ["{ $.status >= 500 }", { status: 503 }, true],
  ["{ $.status >= 500 }", { status: "503" }, false],
  ['{ $.status != "429" }', { status: "500" }, true],
  ['{ $.status != "429" }', { status: "429" }, false],
  ['{ $.status != "429" }', {}, false],
  ['{ $.route = "* /api/v*" }', { route: "GET /api/v1/key" }, true],
  ['{ $.route = "* /api/v*" }', { route: "GET /api/documentation" }, false],
  ['{ $.route = "* /api/v*" }', { route: "$default" }, false],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { b: 2, c: "x (y || z" }, true],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { b: 2, c: 3 }, false],
  ['{ ($.a = 1) || (($.b = 2) && (($.c = "x (y || z") || ($.c = 4))) }', { a: 1 }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: true }, true],
  ["{ $.cold_start IS TRUE }", { cold_start: "true" }, false],
])("%s lets %o through: %s", (pattern, line, expected) => {
  expect(readFilterPattern(pattern)(line)).toBe(expected);
});

test.each([
  ["ERROR", "The filter pattern ERROR is not in braces."],
  ["{ $.status < 200 }", "$.status < 200 is a condition that a local run does not support."],
  ["{ $.a = 1 && $.b NOT EXISTS }", "$.b NOT EXISTS is a condition that a local run does not support."],
  ["{ $.a = 1 && $.b = 2 || $.c = 3 }", "$.a = 1 && $.b = 2 || $.c = 3 mixes && and || without parentheses."],
])("%s, which a local run does not support, is refused", (pattern, message) => {
  expect(() => readFilterPattern(pattern)).toThrow(message);
});
