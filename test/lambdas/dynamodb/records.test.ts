import fc from "fast-check";
import { expect, test } from "vitest";
import { entryAddition, mostEntries } from "../../../lambdas/dynamodb/change-history.ts";
import { optional, text, textOfLength, time, wholeNumber } from "../../../lambdas/dynamodb/formats.ts";
import { recordReader, toItem } from "../../../lambdas/dynamodb/records.ts";

test("a full history keeps its first entry and the latest ones, in any order, and counts the others", () => {
  const entries = Array.from({ length: mostEntries }, (_, index) => `entry ${String(index).padStart(2, "0")}`);
  const { set } = entryAddition("new", { history: { SS: entries.toReversed() } });
  expect(set).toEqual({ history: new Set(["entry 00", ...entries.slice(-8), "new"]), history_dropped: 11 });
});

test("a time is read if this service can have written it", () => {
  const written = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
  fc.assert(
    fc.property(written, (date) => time.read(date.toISOString()) === date.toISOString()),
    {
      examples: [[new Date("2028-02-29T00:00:00.000Z")]],
    },
  );
});

test.for([
  ...["", "0", "1767225600", "never", "31.12.2020", "Wed, 01 Jan 2020 00:00:00 GMT", "2026-11-21"],
  ...["2026-11-21T10:15:30Z", "2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123+00:00"],
  ...["2026-11-21 10:15:30.123Z", "2026-11-21t10:15:30.123z", "2026-11-21T10:15:30.123Z ", " 2026-11-21T10:15:30.123Z"],
  ...["2026-02-29T10:15:30.123Z", "2026-04-31T10:15:30.123Z", "2026-13-01T10:15:30.123Z", "2026-00-01T10:15:30.123Z"],
  ...["2026-11-00T10:15:30.123Z", "2026-11-32T10:15:30.123Z", "2026-11-21T24:00:00.000Z", "2026-11-21T10:60:30.123Z"],
  ...["2026-11-21T10:15:60.123Z", "+010000-01-01T00:00:00.000Z", "２026-11-21T10:15:30.123Z"],
])("rejects the time %j", (stored) => {
  expect(time.read(stored)).toBeUndefined();
});

test("accepts a whole number within its range, in DynamoDB's notation", () => {
  const format = wholeNumber({ min: 1, max: 100 });
  for (const value of [1, 2, 99, 100]) expect(format.read(String(value))).toBe(value);
  for (const other of ["", " ", "0", "101", "-1", "1.5", "5.0", "05", "+5", " 5", "0x10", "1e1", "NaN", "Infinity"]) {
    expect(format.read(other), other).toBeUndefined();
  }
});

test("accepts a well-formed string, and counts its length in code points", () => {
  expect(text().read("half of a pair: \ud83d")).toBeUndefined();
  expect(text().read("")).toBe("");
  const format = textOfLength({ min: 2, max: 3 });
  const read = ["🔑", "🔑🔑", "🔑🔑🔑", "🔑🔑🔑🔑"].map((value) => format.read(value) !== undefined);
  expect(read).toEqual([false, true, true, false]);
});

interface Row {
  id: string;
  at: string;
  count: number;
  ends_at?: string;
  limit?: number;
}

const read = recordReader<Row>({
  id: text(),
  at: time,
  count: wholeNumber({ min: 0, max: 9 }),
  ends_at: optional(time),
  limit: optional(wholeNumber({ min: 1, max: 9 })),
});
const row = { id: "1", at: "2026-11-21T10:15:30.123Z", count: 7 };
const item = toItem(row);

test("reads an item's declared fields, including the optional ones, and no others", () => {
  expect(read({ ...item, internal_note: { S: "not declared" }, delete_at: { N: "1" } })).toEqual(row);
  const optionals = { ends_at: "2027-02-28T23:59:59.999Z", limit: 5 };
  expect(read({ ...item, ...toItem(optionals) })).toEqual({ ...row, ...optionals });
});

test("converts values to attributes, and omits undefined values", () => {
  expect(toItem({ text: "a", number: 1, set: new Set(["x"]), absent: undefined })).toEqual({
    text: { S: "a" },
    number: { N: "1" },
    set: { SS: ["x"] },
  });
});
