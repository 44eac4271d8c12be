import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import { type StoreName, storeNames, tables } from "../../../lambdas/resources/stores.ts";
import { shapeOf } from "../support/client-requests.ts";
import { runProgram } from "../support/store-programs.ts";
import { useDatabase } from "../support/stores.ts";

/*
 * The embedded database is exact for the requests that the stores send: see docs/decisions/local-run.md. This is the
 * list of them. A new shape has to be compared with DynamoDB before it joins the list.
 */

const database = useDatabase();
const runs: ({ name: StoreName } & Awaited<ReturnType<typeof runProgram>>)[] = [];
for (const name of storeNames) runs.push({ name, ...(await runProgram(name, database)) });

/** Whether DynamoDB may delete an item of a store: of a table with tombstones only these, and of tokens those that end. */
const mayExpire = (name: StoreName, item: Item): boolean => {
  const { deletionMark }: AnyTable = tables[name];
  if (name === "tokens") return (item.expires_at ?? item.revoked_at) !== undefined;
  return deletionMark === undefined || item[deletionMark] !== undefined;
};

describe("the requests of the stores", () => {
  test("have the shapes on the list, and no others", async () => {
    const lines = runs.flatMap(({ name, requests }) => {
      const shapes = new Set(requests.map(({ operation, input }) => shapeOf(operation, { ...input })));
      return [name, ...[...shapes].toSorted().map((shape) => `  ${shape}`)];
    });
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("request-shapes.txt");
  });

  test.for(runs)("are noted for every operation of the store $name", ({ name, called }) => {
    expect(called.toSorted()).toEqual(Object.keys(tables[name].rights).toSorted());
  });
});

test.for(runs)("no operation leaves a time-to-live on what is alive: $name", ({ name, items }) => {
  const { timeToLive = "" } = tables[name];
  expect(items.filter((item) => timeToLive in item && !mayExpire(name, item))).toEqual([]);
});

test("a shape tells requests apart that DynamoDB has to understand differently, and no others", () => {
  const request = (UpdateExpression: string, value: AttributeValue) => ({
    TableName: "T",
    Key: { id: { S: "1" } },
    UpdateExpression,
    ExpressionAttributeValues: { ":v": value, ":w": value },
  });
  const shape = shapeOf("UpdateItem", request("SET a = :v", { S: "1" }));

  expect(shape).toBe("UpdateItem Key=S UpdateExpression=SET path = :S");
  expect(shapeOf("UpdateItem", request("SET b = :w, c = :v", { S: "2" }))).toBe(shape);
  expect(shapeOf("UpdateItem", request("SET a = :v", { N: "1" }))).not.toBe(shape);
  expect(shapeOf("UpdateItem", request("SET a = if_not_exists(b, :v)", { S: "1" }))).not.toBe(shape);
  expect(shapeOf("UpdateItem", { ...request("SET a = :v", { S: "1" }), ReturnValues: "ALL_NEW" })).not.toBe(shape);
});
