import { expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { exampleKey } from "../../../../lambdas/resources/keys/fields.ts";
import type { KeyStore } from "../../../../lambdas/resources/keys/key-store.ts";
import { keys } from "../../../../lambdas/resources/keys/keys-table.ts";
import { author } from "../../../support/authors.ts";
import { noteActions, useDatabase } from "../../support/database.ts";
import { expectSoundDeclaration } from "../../support/table-declaration.ts";

const database = useDatabase();

const calls: { [Operation in keyof KeyStore]: (store: KeyStore) => Promise<unknown> } = {
  list: (store) => store.list({ limit: 1 }),
  listWithHistory: (store) => store.listWithHistory({ limit: 1 }),
  create: (store) => store.create(exampleKey, author),
  get: (store) => store.get(exampleKey.key_id),
  getWithHistory: (store) => store.getWithHistory(exampleKey.key_id),
  replace: (store) => store.replace(exampleKey, author),
  delete: (store) => store.delete(exampleKey.key_id, author),
  changed: (store) => store.changed({ shard: "0", limit: 1 }),
  forget: (store) => store.forget(exampleKey.key_id, "2026-11-21T10:15:30.123Z"),
};

test.for(Object.entries(calls))("%s performs only the action that it declares", async ([operation, call]) => {
  const { client, table } = await database.newTable(keys);
  const actions = noteActions(client);
  await call(openStore(keys, { client, tableName: table }));

  const rights = keys.rights[operation as keyof KeyStore];
  expect(actions).toEqual(rights.map((right) => (typeof right === "string" ? right : right.action)));
});

test("the types of the fields fit their names, and the example is a valid record", () => {
  expectSoundDeclaration(keys);
});

test("forgetting a deleted key needs permission only for its tombstone and its history", () => {
  const tombstone = ["key_id", "updated_at", "delete_at", "change_shard", "history", "history_dropped", "deletion_id"];
  expect(keys.rights.forget).toEqual([{ action: "UpdateItem", attributes: tombstone }]);
});
