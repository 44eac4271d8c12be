import { expect, test } from "vitest";
import { describeRateLimit, rateLimitOf } from "../../../../web/pages/api-settings/rate-limit.ts";

test.each([
  ["", null],
  ["60", 60],
  ["0", 0],
  ["1e3", "1e3"],
  ["1.5", "1.5"],
  ["-1", "-1"],
  ["many", "many"],
])("what is typed as %j is sent as %j, for the service to judge", (text, sent) => {
  expect(rateLimitOf(text)).toBe(sent);
});

test.each([
  [null, "None"],
  [1, "1 request per minute"],
  [100_000, "100,000 requests per minute"],
])("a limit of %s reads as %j", (limit, words) => {
  expect(describeRateLimit(limit)).toBe(words);
});
