import { expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { type LimitStore, limits } from "../../../../lambdas/resources/limits/limits-table.ts";
import { noteActions, useDatabase } from "../../support/database.ts";
import { expectSoundDeclaration } from "../../support/table-declaration.ts";

const database = useDatabase();

const calls: { [Operation in keyof LimitStore]: (store: LimitStore) => Promise<unknown> } = {
  take: (store) => store.take("token", { minute: "2026-11-21T10:15Z", limit: 1 }),
};

test.for(Object.entries(calls))("%s performs only the action that it declares", async ([operation, call]) => {
  const { client, table } = await database.newTable(limits.partitionKey);
  const actions = noteActions(client);
  await call(openStore(limits, { client, tableName: table }));

  const rights = limits.rights[operation as keyof LimitStore];
  expect(actions).toEqual(rights.map((right) => (typeof right === "string" ? right : right.action)));
});

test("the types of the fields fit their names, and the example is a valid record", () => {
  expectSoundDeclaration(limits);
});

test("the example is a counter of a token's requests in a minute", () => {
  expect(limits.example.minute_id).toMatch(/^[0-9A-Z]{26}\/\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
});
