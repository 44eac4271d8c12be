import { expect, test } from "vitest";
import { tableStatements } from "../../../../infra/constructs/released-rights.ts";

const onlyLastUse = { action: "UpdateItem", attributes: ["token_id", "last_used_at"] } as const;

test("permissions for whole items become one statement with each action once", () => {
  expect(tableStatements("arn:table", ["GetItem", "UpdateItem", "GetItem"])).toEqual([
    { actions: ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources: ["arn:table"] },
  ]);
});

test("a permission for some attributes becomes a statement with that condition", () => {
  expect(tableStatements("arn:table", [onlyLastUse])).toEqual([
    {
      actions: ["dynamodb:UpdateItem"],
      resources: ["arn:table"],
      conditions: { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["token_id", "last_used_at"] } },
    },
  ]);
});

test("a permission for whole items includes the same permission for some attributes", () => {
  expect(tableStatements("arn:table", [onlyLastUse, "UpdateItem"])).toEqual([
    { actions: ["dynamodb:UpdateItem"], resources: ["arn:table"] },
  ]);
});

test("a permission on an index is for the index and not for its table", () => {
  const onIndex = { action: "Query", index: "by_change" } as const;
  expect(tableStatements("arn:table", [onIndex, onIndex])).toEqual([
    { actions: ["dynamodb:Query"], resources: ["arn:table/index/by_change"] },
  ]);
});

test("no permissions result in no statement", () => {
  expect(tableStatements("arn:table", [])).toEqual([]);
});
