import { describe, expect, test } from "vitest";
import type { Change } from "../../../../../web/api/types.ts";
import { historyAsCsv } from "../../../../../web/pages/history/history-as-csv.ts";
import { exampleChange, keyChange } from "../../../changes/example-change.ts";

const csvOf = (...changes: Change[]): string[] => historyAsCsv(changes, () => "=sync").split("\r\n");

describe("the CSV of the history", () => {
  test("has a row with titles and a row for each change, with the sentence and everything that is recorded", () => {
    const rotated = exampleChange({
      kind: "rotated",
      by: "invoke:3f8a2b1c:alice",
      from: null,
      request_id: "3f8a2b1c",
      details: { successor_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0C", expires_at: "2026-11-22T10:15:30.123Z" },
    });
    expect(csvOf(rotated)).toEqual([
      "\ufeffTime,Change,Description,Person,Recorded as,Address,Request id,Token id,Comment,key_id,Bound address,Code,New expiry,New limit,Successor,Predecessor",
      `2026-11-21T10:15:30.123Z,Token rotated,"alice, by invocation, rotated =sync: its successor replaces it, and the old one ends 2026-11-22T10:15:30.123Z.",alice,invoke:3f8a2b1c:alice,,3f8a2b1c,01KAK3Y0V9QX8M4N2R7T5W1Y0B,'=sync,,,,2026-11-22T10:15:30.123Z,,01KAK3Y0V9QX8M4N2R7T5W1Y0C,`,
      "",
    ]);
  });

  test("contains no formula, whatever a key is called", () => {
    const [, line] = csvOf(keyChange({ key_id: '=HYPERLINK("http://example.com")', by: "token:x" }));
    expect(line).toBe(
      `2026-11-21T10:15:30.123Z,Key created,"The client of =sync created the key =HYPERLINK(""http://example.com"").",,token:x,198.51.100.4,JKJaXmPLvHcESHA=,,,"'=HYPERLINK(""http://example.com"")",,,,,,`,
    );
  });

  test("contains no formula, whoever made the change", () => {
    const [, line = ""] = csvOf(keyChange({ by: "@SUM(1)" }));
    expect(line).toContain(",'@SUM(1) created the key 1234567.,'@SUM(1),'@SUM(1),");
  });
});
