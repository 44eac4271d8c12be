import { expect } from "vitest";
import { recordReader, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";

/** Checks what must hold for every table: the kinds of its fields fit their names, and its example is a valid record. */
export const expectSoundDeclaration = ({
  partitionKey,
  sortKey,
  timeOfChange,
  timeToLive,
  fields,
  example,
}: AnyTable) => {
  expect([undefined, "delete_at"]).toContain(timeToLive);
  for (const [name, { kind }] of Object.entries(fields)) {
    if (name.endsWith("_at")) expect(kind, name).toBe("time");
    else expect(["text", "number"], name).toContain(kind);
  }
  for (const key of [partitionKey, ...(sortKey === undefined ? [] : [sortKey])]) {
    expect(fields[key]).toMatchObject({ kind: "text", optional: false });
  }
  if (timeOfChange !== undefined) expect(fields[timeOfChange]).toMatchObject({ kind: "time" });
  expect(recordReader(fields as never)(toItem(example as Values))).toEqual(example);
};
