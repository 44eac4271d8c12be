import { expect, test } from "vitest";
import { describeRateLimit, parseRateLimit } from "../../../web/tokens/terms.ts";

test.each([
  ["", null],
  ["60", 60],
  ["0", 0],
])("the typed limit %j is sent as %j, for the service to check its range", (text, limit) => {
  expect(parseRateLimit(text)).toBe(limit);
});

test.each(["1e3", "1.5", "-1", "many"])("the typed limit %j is never taken for a number or for no limit", (text) => {
  expect(parseRateLimit(text)).toBeUndefined();
});

test.each([
  [null, "None"],
  [1, "1 request per minute"],
  [100_000, "100,000 requests per minute"],
])("a limit of %s reads as %j", (limit, words) => {
  expect(describeRateLimit(limit)).toBe(words);
});
