import { expect, test } from "vitest";
import * as z from "zod/mini";
import { changeIndex, changesIn } from "../../../lambdas/dynamodb/change-history.ts";
import { itemsFrom } from "../../../lambdas/dynamodb/items-from.ts";
import { type Change, type Table, table } from "../../../lambdas/dynamodb/table.ts";
import { time } from "../../../lambdas/shared/validation/fields.ts";
import { noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

const database = useDatabase();

interface Row {
  id: string;
}
const reads = {
  get: [],
  getItem: [],
  page: [],
  pageOf: [],
  query: [],
  scan: [],
  readOnPage: [],
  tableName: [],
  changed: [],
  updateInput: [],
};
const rows = table<Row, Table<Row>>({
  partitionKey: "id",
  schema: z.object({ id: z.string() }),
  rights: { ...reads, change: [], update: [], read: [], readUnlessDeleted: [] },
  createStore: (opened) => opened,
  example: { id: "1" },
});

test("lookups and pages are strongly consistent", async () => {
  const { store, client } = await openTestStore(rows, database);
  const requests = noteRequests(client);
  await store.get({ id: "1" });
  await store.getItem({ id: "1" });
  await store.page({ limit: 1, prefix: "1" });
  await store.pageOf({ limit: 1 }, ({ id }) => id);
  const consistent = (operation: string) => ({ operation, input: { ConsistentRead: true } });
  expect(requests).toMatchObject(["GetItem", "GetItem", "Scan", "Scan"].map(consistent));
});

interface Reserved {
  name: string;
  order: string;
  timestamp: string;
  text?: string;
}
const declaration = {
  partitionKey: "name",
  schema: z.object({ name: z.string(), order: z.string(), timestamp: time(), text: z.exactOptional(z.string()) }),
  rights: rows.rights,
  example: { name: "a", order: "1", timestamp: "2026-11-21T10:15:30.123Z" },
  createStore: (opened: Table<Reserved>) => opened,
} as const;

test("all operations accept attributes whose names DynamoDB reserves", async () => {
  const names = {
    timeOfChange: "timestamp",
    hasHistory: true,
    deletionMark: "delete",
    indexes: changeIndex("timestamp"),
  } as const;
  const { store } = await openTestStore(table<Reserved, Table<Reserved>>({ ...declaration, ...names }), database);
  const change: Change<Reserved> = {
    condition: "attribute_exists(#name) OR attribute_not_exists(#text)",
    appliesTo: () => true,
    set: () => ({ order: "1", change_shard: "0" }),
    entry: (at) => `${at} test`,
  };
  await store.change({ name: "a" }, { ...change, set: () => ({ order: "1", text: "x", change_shard: "0" }) });
  const changed = await store.change({ name: "a" }, { ...change, remove: ["text"] });
  expect(changed.record).toEqual({ name: "a", order: "1", timestamp: expect.any(String) });
  const seen = [String(changed.record?.timestamp)];
  expect(await store.change({ name: "a" }, { ...change, seen })).toMatchObject({ outcome: "changed" });
  expect(await store.change({ name: "a" }, { ...change, seen })).toMatchObject({ outcome: "refused" });
  for (const prefix of [undefined, "a"]) expect((await store.page({ limit: 1, prefix })).records).toHaveLength(1);
  expect((await store.pageOf({ limit: 1, prefix: "a" }, ({ name }) => name)).records).toEqual(["a"]);
  const since = (await store.get({ name: "a" }))?.timestamp;
  expect((await changesIn(store, "timestamp")({ shard: "0", since, limit: 1 })).items).toHaveLength(1);
});

test("a table with a sort key accepts deletions with attribute names that DynamoDB reserves", async () => {
  const names = { sortKey: "order", timeOfChange: "timestamp", deletionMark: "delete" } as const;
  const { store } = await openTestStore(table<Reserved, Table<Reserved>>({ ...declaration, ...names }), database);
  const key = { name: "a", order: "1" };
  const change: Change<Reserved> = {
    condition: "attribute_not_exists(#delete)",
    appliesTo: () => true,
    set: () => ({ text: "x" }),
  };
  expect((await store.change(key, change)).record).toMatchObject({ ...key, text: "x" });
  const deletion = await store.change(key, { ...change, set: () => ({ delete: "1" }), remove: ["text"] });
  expect(deletion).toEqual({ outcome: "changed", record: undefined });
  expect(await store.get(key)).toBeUndefined();
});

test("a query accepts attribute names that DynamoDB reserves, and reads all pages", async () => {
  const sorted = table<Reserved, Table<Reserved>>({ ...declaration, sortKey: "order" });
  const { store } = await openTestStore(sorted, database);
  const values = { text: "x".repeat(350_000) };
  for (const order of ["1", "2", "3", "4", "5"])
    await store.update({ name: "a", order }, { expression: "SET #text = :text", values });
  // DynamoDB ends a page at 1 MB.
  expect((await itemsFrom(store, sorted, { partition: "a", from: "2" })).map(({ order }) => order?.S)).toEqual([
    "2",
    "3",
    "4",
    "5",
  ]);
});
