import { describe, expect, test } from "vitest";
import { mergeUses } from "../../../lambdas/dynamodb/uses.ts";
import { rightsOf, storeNames, tables } from "../../../lambdas/resources/stores.ts";
import { testDeclaration } from "../support/store-programs.ts";
import { useDatabase } from "../support/stores.ts";

test("merged uses have the operations of both, each once", () => {
  const one = { tokens: ["find", "insert"], keys: ["get"] } as const;
  const other = { tokens: ["find", "list"], limits: ["take"] } as const;

  expect(mergeUses(one, other)).toEqual({ tokens: ["find", "insert", "list"], keys: ["get"], limits: ["take"] });
  expect(one.tokens).toEqual(["find", "insert"]);
});

test("the permissions on a table are those of the given operations, or of all", () => {
  expect(rightsOf("keys", ["get", "replace"])).toEqual(["GetItem", "UpdateItem"]);
  expect(rightsOf("keys", [])).toEqual([]);
  for (const store of storeNames) expect(rightsOf(store)).toEqual(Object.values<unknown>(tables[store].rights).flat());
});

const database = useDatabase();
describe.for(storeNames)("the table of the store %s:", (name) => {
  testDeclaration(name, database);
});
