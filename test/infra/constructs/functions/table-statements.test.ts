import { expect, test } from "vitest";
import { tableStatements } from "../../../../infra/constructs/functions/table-statements.ts";

const onlyLastUse = { action: "UpdateItem", attributes: ["token_id", "last_used_at"] } as const;

test("rights to whole items are one statement, each action once", () => {
  expect(tableStatements(["GetItem", "UpdateItem", "GetItem"])).toEqual([
    { actions: ["dynamodb:GetItem", "dynamodb:UpdateItem"] },
  ]);
});

test("a right to some attributes is a statement with that condition", () => {
  expect(tableStatements([onlyLastUse])).toEqual([
    {
      actions: ["dynamodb:UpdateItem"],
      conditions: { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["token_id", "last_used_at"] } },
    },
  ]);
});

test("a right to whole items includes the same right to some attributes", () => {
  expect(tableStatements([onlyLastUse, "UpdateItem"])).toEqual([{ actions: ["dynamodb:UpdateItem"] }]);
});

test("no rights are no statement", () => {
  expect(tableStatements([])).toEqual([]);
});
