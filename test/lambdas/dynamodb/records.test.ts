import { expect, test } from "vitest";
import * as z from "zod/mini";
import { entryAddition, mostEntries } from "../../../lambdas/dynamodb/change-history.ts";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { recordReader, toItem } from "../../../lambdas/dynamodb/records.ts";
import { time, wholeNumber } from "../../../lambdas/shared/validation/fields.ts";

test("a full history keeps its first entry and the latest ones, in any order, and counts the others", () => {
  const entries = Array.from({ length: mostEntries }, (_, index) => `entry ${String(index).padStart(2, "0")}`);
  const { set } = entryAddition("new", { history: { SS: entries.toReversed() } });
  expect(set).toEqual({ history: new Set(["entry 00", ...entries.slice(-8), "new"]), history_dropped: 11 });
});

const schema = z.object({
  id: z.string(),
  at: time(),
  count: wholeNumber({ min: 0, max: 9 }),
  ends_at: z.exactOptional(time()),
  limit: z.exactOptional(wholeNumber({ min: 1, max: 9 })),
  kind: z._default(z.enum(["plain", "other"]), "plain"),
});
const read = recordReader<z.output<typeof schema>>(schema, { strictly: true });
const readLeniently = recordReader<z.output<typeof schema>>(schema, { strictly: false });
const row = { id: "1", at: "2026-11-21T10:15:30.123Z", count: 7, kind: "plain" as const };
const item = toItem(row);

test("reads an item's declared fields, including the optional ones, and no others", () => {
  expect(read({ ...item, internal_note: { S: "not declared" }, delete_at: { N: "1" } })).toEqual(row);
  const optionals = { ends_at: "2027-02-28T23:59:59.999Z", limit: 5 };
  expect(read({ ...item, ...toItem(optionals) })).toEqual({ ...row, ...optionals });
});

test("a strict read checks all rules, and every read checks types and required fields", () => {
  const broken = [{ at: "then" }, { count: 10 }, { limit: 0 }, { kind: "unknown" }];
  for (const values of broken) {
    expect(() => read({ ...item, ...toItem(values) })).toThrow();
    expect(readLeniently({ ...item, ...toItem(values) })).toEqual({ ...row, ...values });
  }
  for (const values of [{ at: 1 }, { count: "7" }, { limit: "5" }, { kind: 1 }, { kind: new Set(["plain"]) }]) {
    for (const reader of [read, readLeniently]) expect(() => reader({ ...item, ...toItem(values) })).toThrow();
  }
  const { count: _, ...incomplete } = item;
  expect(() => readLeniently(incomplete)).toThrow();
  const { kind: __, ...earlier } = item;
  expect(readLeniently(earlier)).toEqual(row);
});

test.each([
  ["nullable and optional", z.nullable(z.optional(z.string()))],
  ["read-only and optional", z.readonly(z.optional(z.string()))],
  ["nullable with a default", z.nullable(z._default(z.string(), "usual"))],
  ["read-only with a default", z.readonly(z._default(z.array(z.string()), ["usual"]))],
])("reads an item without a field that is %s, as its schema does, at any depth", (_, field) => {
  const nesting = z.object({ field, list: z.array(z.object({ field })) });
  const stored = { list: { L: [{ M: {} }] } };
  const readItem = recordReader(nesting, { strictly: true, codec: nestedCodec });
  expect(readItem(stored)).toStrictEqual(nesting.parse({ list: [{}] }));
});

test("converts values to attributes, and omits undefined values", () => {
  expect(toItem({ text: "a", number: 1, set: new Set(["x"]), absent: undefined })).toEqual({
    text: { S: "a" },
    number: { N: "1" },
    set: { SS: ["x"] },
  });
});
