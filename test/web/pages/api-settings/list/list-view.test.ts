import { describe, expect, test } from "vitest";
import {
  defaultView,
  isFiltered,
  type ListView,
  parseView,
  queryOf,
} from "../../../../../web/pages/api-settings/list/list-view.ts";

describe("the query of a view", () => {
  test("is empty for the default view", () => {
    expect(queryOf(defaultView)).toBe("");
    expect(parseView("")).toEqual(defaultView);
  });

  test.each<[Partial<ListView>, string]>([
    [{ attention: "expiring" }, "?show=expiring"],
    [{ status: "revoked" }, "?state=revoked"],
    [{ find: "50% & more +1" }, "?find=50%25+%26+more+%2B1"],
    [{ sort: "comment", isDescending: false }, "?sort=comment"],
    [{ sort: "used", isDescending: true }, "?sort=-used"],
    [{ sort: "issued", isDescending: false }, "?sort=issued"],
    [{ page: 3 }, "?page=3"],
    [{ attention: "leaked", find: "a", page: 2 }, "?show=leaked&find=a&page=2"],
  ])("of %o is %j, and gives the view again", (changes, query) => {
    const view = { ...defaultView, ...changes };
    expect(queryOf(view)).toBe(query);
    expect(parseView(query)).toEqual(view);
  });

  test.each([
    "?show=everything",
    "?state=Active",
    "?sort=",
    "?sort=-",
    "?sort=--used",
    "?sort=toString",
    "?page=0",
    "?page=-1",
    "?page=1.5",
    "?page=1e3",
    "?page=99999999",
    "?find=",
    "?other=1",
  ])("falls back to the default for nonsense: %j", (query) => {
    expect(parseView(query)).toEqual(defaultView);
  });
});

test("a view is filtered if it leaves out tokens, not if it only puts them in another order", () => {
  expect(isFiltered({ ...defaultView, sort: "ip", page: 2, find: " " })).toBe(false);
  expect(isFiltered({ ...defaultView, status: "active" })).toBe(true);
  expect(isFiltered({ ...defaultView, attention: "unused" })).toBe(true);
  expect(isFiltered({ ...defaultView, find: "a" })).toBe(true);
});
