import { expect, test } from "vitest";
import { tableStatements } from "../../../../infra/constructs/functions/table-statements.ts";

const onlyLastUse = { action: "UpdateItem", attributes: ["token_id", "last_used_at"] } as const;

test("permissions for whole items become one statement with each action once", () => {
  expect(tableStatements(["GetItem", "UpdateItem", "GetItem"])).toEqual([
    { actions: ["dynamodb:GetItem", "dynamodb:UpdateItem"] },
  ]);
});

test("a permission for some attributes becomes a statement with that condition", () => {
  expect(tableStatements([onlyLastUse])).toEqual([
    {
      actions: ["dynamodb:UpdateItem"],
      conditions: { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["token_id", "last_used_at"] } },
    },
  ]);
});

test("a permission for whole items includes the same permission for some attributes", () => {
  expect(tableStatements([onlyLastUse, "UpdateItem"])).toEqual([{ actions: ["dynamodb:UpdateItem"] }]);
});

test("no permissions result in no statement", () => {
  expect(tableStatements([])).toEqual([]);
});
