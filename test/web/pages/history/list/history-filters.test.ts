import { describe, expect, test } from "vitest";
import { historyAddress, parseFilters } from "../../../../../web/pages/history/history-filters.ts";

const all = {
  person: "admin@example.com",
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  key_id: "a key & more ",
  kind: "deleted",
  since: "2026-11-01T00:00:00.000Z",
  until: "2026-11-21T12:30:00.000Z",
} as const;

const searchOf = (address: string): string => new URL(address, "http://any").search;

describe("the filters of the history", () => {
  test("are the same after they were in an address", () => {
    expect(parseFilters(searchOf(historyAddress(all, "a cursor")))).toEqual(all);
  });

  test("leave an address without a query if there are none", () => {
    expect(historyAddress({})).toBe("/history");
    expect(parseFilters("")).toEqual({});
  });

  test("take a time with any offset", () => {
    expect(parseFilters("?since=2026-11-01T02:00:00%2B02:00")).toEqual({ since: all.since });
  });

  test.each(["?kind=toString", "?since=yesterday", "?person=&key_id=", "?token=1", "?after=x"])(
    "do not contain what makes no sense: %s",
    (search) => {
      expect(parseFilters(search)).toEqual({});
    },
  );
});
