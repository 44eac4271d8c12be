import { describe, expect, test } from "vitest";
import { recordReader, toItem } from "../../../lambdas/dynamodb/records.ts";

interface Row {
  id: string;
  at: string;
  count: number;
  ends_at?: string;
  limit?: number;
}

const read = recordReader<Row>({ id: "text", at: "time", count: "number", ends_at: "time?", limit: "number?" });
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
    expect(read({ ...item, ends_at: { S: "later" }, limit: { N: "5" } })).toMatchObject({ ends_at: "later", limit: 5 });
  });

  test("as the requested record", () => {
    expect(read(item, { id: "1" })).toMatchObject({ id: "1" });
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

  test("it is another record than the one requested", () => {
    expect(() => read(item, { id: "2" })).toThrow(expect.objectContaining({ code: "unavailable" }));
  });
});

test("values become attributes, and undefined ones are left out", () => {
  expect(toItem({ text: "a", number: 1, set: new Set(["x"]), absent: undefined })).toEqual({
    text: { S: "a" },
    number: { N: "1" },
    set: { SS: ["x"] },
  });
});
