import { expect, test } from "vitest";
import { contains } from "../../../lambdas/version-check/serve-version-check.ts";

test.each<[string, unknown, unknown]>([
  ["if it is equal", null, null],
  ["if it has more fields", { statusCode: 200, body: "" }, { statusCode: 200 }],
  [
    "if its body is JSON with the fields",
    { body: '{"code":"token_invalid","message":"…"}' },
    { body: { code: "token_invalid" } },
  ],
  ["if it has any array where one is expected", { tokens: [{ token_id: "1" }] }, { tokens: [] }],
  ["if it has the elements of an array", { list: [1, 2] }, { list: [1] }],
])("a response contains what is expected %s", (_, response, expected) => {
  expect(contains(response, expected)).toBe(true);
});

test.each<[string, unknown, unknown]>([
  ["if a value differs", { statusCode: 500 }, { statusCode: 401 }],
  ["if its type differs", { statusCode: "401" }, { statusCode: 401 }],
  ["if a field is missing", {}, { statusCode: 401 }],
  ["if it is nothing", undefined, { statusCode: 401 }],
  ["if it is something where nothing is expected", { errorType: "Error" }, null],
  ["if its body is no JSON", { body: "<html>" }, { body: { code: "token_invalid" } }],
  ["if it has an object instead of an array", { tokens: {} }, { tokens: [] }],
  ["if it has an array instead of an object", [], {}],
  ["if a field is only inherited", {}, { constructor: Object }],
])("a response contains what is expected but not %s", (_, response, expected) => {
  expect(contains(response, expected)).toBe(false);
});
