import { expect, test } from "vitest";
import { cursorsOf } from "../../../web/parts/routes.ts";

test.each([
  ["the first page", 1, []],
  ["a page before", 2, ["a"]],
  ["the same page", 3, ["a", "b"]],
  ["the next page", 4, ["a", "b", "c"]],
  ["an unknown page, which is the first one", 5, []],
])("the cursors of the pages up to %s are kept", (_, page, expected) => {
  expect(cursorsOf(page, ["a", "b", "c"])).toEqual(expected);
});
