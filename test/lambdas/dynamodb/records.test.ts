import { describe, expect, test } from "vitest";
import { optional, text, time, wholeNumber } from "../../../lambdas/dynamodb/formats.ts";
import { recordReader, toItem } from "../../../lambdas/dynamodb/records.ts";

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
const item = { id: { S: "1" }, at: { S: "2026-11-21T10:15:30.123Z" }, count: { N: "7" } };

describe("an item is read", () => {
  test("with its declared fields and no others", () => {
    expect(read({ ...item, internal_note: { S: "not declared" }, delete_at: { N: "1" } })).toEqual({
      id: "1",
      at: "2026-11-21T10:15:30.123Z",
      count: 7,
    });
  });

  test("with the optional fields that it has", () => {
    const ends_at = "2027-02-28T23:59:59.999Z";
    expect(read({ ...item, ends_at: { S: ends_at }, limit: { N: "5" } })).toMatchObject({ ends_at, limit: 5 });
  });
});

describe("an item is reported as unavailable instead of being used if", () => {
  test.each([
    ["a required field is missing", { id: item.id, at: item.at }],
    ["a required text is a number", { ...item, id: { N: "1" } }],
    ["a required number is a text", { ...item, count: { S: "7" } }],
    ["a number is not a number", { ...item, count: { N: "seven" } }],
    ["a number is not finite", { ...item, count: { N: "Infinity" } }],
    ["an optional text is null", { ...item, ends_at: { NULL: true as const } }],
    ["an optional text is a number", { ...item, ends_at: { N: "1" } }],
    ["an optional number is a text", { ...item, limit: { S: "5" } }],
  ])("%s", (_, damaged) => {
    expect(() => read(damaged)).toThrow(expect.objectContaining({ code: "unavailable" }));
  });

  test("a field does not have its format, and the log names the field", () => {
    expect(() => read({ ...item, ends_at: { S: "31.12.2020" } })).toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({
          message: "The item's ends_at is not a time such as 2026-11-21T10:15:30.123Z.",
        }),
      }),
    );
  });
});

test("values become attributes, and undefined ones are left out", () => {
  expect(toItem({ text: "a", number: 1, set: new Set(["x"]), absent: undefined })).toEqual({
    text: { S: "a" },
    number: { N: "1" },
    set: { SS: ["x"] },
  });
});
