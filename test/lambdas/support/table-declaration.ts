import { expect } from "vitest";
import { recordReader, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Checks what must hold for every table: the types of its fields fit their names, and its example is a valid record. */
export const expectSoundDeclaration = ({ partitionKey, sortKey, timeToLive, fields, example }: AnyTable): void => {
  expect([undefined, "delete_at"]).toContain(timeToLive);
  for (const [name, kind] of Object.entries(fields)) {
    expect(kind, name).toMatch(name.endsWith("_at") ? /^time\??$/ : /^(text|number)\??$/);
  }
  for (const key of [partitionKey, ...(sortKey === undefined ? [] : [sortKey])]) expect(fields[key]).toBe("text");

  for (const [name, value] of Object.entries(example)) {
    if (fields[name]?.startsWith("time")) expect(value, name).toMatch(time);
    else if (fields[name]?.startsWith("text")) expect(value, name).toMatch(/\S/);
    else expect(value, name).toBeTypeOf("number");
  }
  expect(recordReader(fields as never)(toItem(example as Values))).toEqual(example);
};
