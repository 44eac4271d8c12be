import { BatchWriteItemCommand, DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { optional, text, time } from "../../../lambdas/dynamodb/formats.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { type Change, type Page, type Table, table } from "../../../lambdas/dynamodb/table.ts";
import { noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

const database = useDatabase();

interface Row {
  id: string;
}
const noRights = {
  get: [],
  getItem: [],
  change: [],
  update: [],
  page: [],
  pageOf: [],
  query: [],
  changed: [],
  hasAfter: [],
};
const rows = table<Row, Table<Row>>({
  partitionKey: "id",
  fields: { id: text() },
  rights: { ...noRights, read: [], readUnlessDeleted: [] },
  createStore: (opened) => opened,
  example: { id: "1" },
});

/** Creates a table with this many items, and returns their ids in order. */
const tableOf = async (size: number, bytes = 0) => {
  const { store, client, tableName } = await openTestStore(rows, database);
  const ids = Array.from({ length: size }, (_, index) => `item ${index}`).toSorted();
  for (let from = 0; from < size; from += 25) {
    const items = ids.slice(from, from + 25).map((id) => toItem({ id, more: "x".repeat(bytes) }));
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }));
  }
  return { store, client, tableName, ids };
};
const idsOn = (...pages: Page<Row>[]) => pages.flatMap(({ records }) => records.map(({ id }) => id)).toSorted();

test.for([
  [0, 1, [0]],
  [6, 3, [3, 3]],
  [13, 5, [5, 5, 3]],
  [1_001, 1_000, [1_000, 1]],
] as const)(
  "paging through a table over %i items by %i returns each once, on pages of %j",
  async ([size, limit, sizes]) => {
    const { store, ids } = await tableOf(size);
    const pages: Page<Row>[] = [];
    do pages.push(await store.page({ limit, after: pages.at(-1)?.next }));
    while (pages.at(-1)?.next !== undefined);
    expect(idsOn(...pages)).toEqual(ids);
    expect(pages.map(({ records }) => records.length)).toEqual(sizes);
    // A page reads one item more than it returns, however large the table is.
    for (const { examined } of pages.slice(0, -1)) expect(examined).toBe(limit + 1);
  },
);

test("paging through a table continues in the same place if the last item of a page is deleted meanwhile", async () => {
  const { store, client, tableName, ids } = await tableOf(9);
  const first = await store.page({ limit: 4 });
  await client.send(new DeleteItemCommand({ TableName: tableName, Key: toItem({ id: first.next }) }));
  expect(idsOn(first, await store.page({ limit: 9, after: first.next }))).toEqual(ids);
});

test.for(["never there", " ", "\u{10FFFF}".repeat(500)])(
  "paging through a table continues after any id, even from a forged cursor: %j",
  async (after) => {
    const { store, ids } = await tableOf(5);
    expect(ids).toEqual(expect.arrayContaining(idsOn(await store.page({ limit: 10, after }))));
  },
);

test("finds in one read whether a partition of an index goes beyond a sort key", async () => {
  interface Indexed extends Row {
    group: string;
    order: string;
  }
  const { store, client } = await openTestStore(
    table<Indexed, Table<Indexed>>({
      ...rows,
      index: { name: "own", partitionKey: "group", sortKey: "order" },
      fields: { ...rows.fields, group: text(), order: text() },
      createStore: (opened) => opened,
      example: { id: "1", group: "a", order: "2" },
    }),
    database,
  );
  for (const [id, order] of ["1", "2", "3"].entries()) {
    await store.update(
      { id: String(id) },
      { expression: "SET #group = :group, #order = :order", values: { group: "a", order } },
    );
  }
  const requests = noteRequests(client);
  const found = await Promise.all([store.hasAfter("a", "2"), store.hasAfter("a", "3"), store.hasAfter("b", "0")]);
  expect([found, requests.length]).toEqual([[true, false, false], 3]);
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
  fields: { name: text(), order: text(), timestamp: time, text: optional(text()) },
  rights: rows.rights,
  example: { name: "a", order: "1", timestamp: "2026-11-21T10:15:30.123Z" },
  createStore: (opened: Table<Reserved>) => opened,
} as const;

test("table attributes may have names that DynamoDB reserves: all operations", async () => {
  const names = { timeOfChange: "timestamp", hasHistory: true, deletionMark: "delete" } as const;
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
  expect((await store.changed({ shard: "0", since, limit: 1 })).items).toHaveLength(1);
});

test("table attributes may have names that DynamoDB reserves: a deletion in a table with a sort key", async () => {
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

test("table attributes may have names that DynamoDB reserves: a query", async () => {
  const sorted = table<Reserved, Table<Reserved>>({ ...declaration, sortKey: "order" });
  const { store } = await openTestStore(sorted, database);
  await store.update({ name: "a", order: "1" }, { expression: "SET #text = :text", values: { text: "x" } });
  expect(await store.query("a", "0")).toMatchObject([{ text: { S: "x" } }]);

  const values = { text: "x".repeat(350_000) };
  for (const order of ["2", "3", "4", "5"])
    await store.update({ name: "a", order }, { expression: "SET #text = :text", values });
  // DynamoDB ends a page at 1 MB.
  expect(await store.query("a", "2")).toHaveLength(4);
});
