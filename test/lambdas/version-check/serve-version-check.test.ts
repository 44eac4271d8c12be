import { expect, test } from "vitest";
import { contains } from "../../../lambdas/version-check/serve-version-check.ts";

test.for<[string, boolean, unknown, unknown]>([
  ["is equal", true, null, null],
  ["has more fields", true, { statusCode: 200, body: "" }, { statusCode: 200 }],
  ["has a JSON body with the fields", true, { body: '{"code":"x","message":"…"}' }, { body: { code: "x" } }],
  ["has any array where one is expected", true, { tokens: [{ token_id: "1" }] }, { tokens: [] }],
  ["has the elements of an array", true, { list: [1, 2] }, { list: [1] }],
  ["has another value", false, { statusCode: 500 }, { statusCode: 401 }],
  ["has another type", false, { statusCode: "401" }, { statusCode: 401 }],
  ["lacks a field", false, {}, { statusCode: 401 }],
  ["is nothing", false, undefined, { statusCode: 401 }],
  ["is something where nothing is expected", false, { errorType: "Error" }, null],
  ["has a body that is not JSON", false, { body: "<html>" }, { body: { code: "token_invalid" } }],
  ["has an object instead of an array", false, { tokens: {} }, { tokens: [] }],
  ["has an array instead of an object", false, [], {}],
  ["only inherits a field", false, {}, { constructor: Object }],
])("a response that %s contains the expected data: %s", ([, isContained, response, expected]) => {
  expect(contains(response, expected)).toBe(isContained);
});
