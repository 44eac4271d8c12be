import { BatchWriteItemCommand, DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optional, text, time } from "../../../lambdas/dynamodb/formats.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Change, type Table, table } from "../../../lambdas/dynamodb/table.ts";
import { noteAnswers, type TestTable, useDatabase } from "../support/database.ts";

const database = useDatabase();

const tableOf = async (size: number, more = "") => {
  const place = await database.newTable("id");
  const ids = Array.from({ length: size }, (_, index) => `item ${index}`);
  for (let from = 0; from < size; from += 25) {
    const puts = ids
      .slice(from, from + 25)
      .map((id) => ({ PutRequest: { Item: { id: { S: id }, more: { S: more } } } }));
    await place.client.send(new BatchWriteItemCommand({ RequestItems: { [place.table]: puts } }));
  }
  return { place, ids };
};

interface Row {
  id: string;
}

const rows = table<Row, Table<Row>>({
  partitionKey: "id",
  fields: { id: text() },
  rights: {
    get: [],
    getItem: [],
    change: [],
    update: [],
    page: [],
    pageOf: [],
    query: [],
    changed: [],
    read: [],
    readUnlessDeleted: [],
  },
  createStore: (opened) => opened,
  example: { id: "1" },
});

const page = ({ client, table: tableName }: TestTable, limit: number, after?: string) =>
  openStore(rows, { client, tableName }).page({ limit, after });

/** The ids on each page, from the first page to the last. */
const allPages = async (place: TestTable, limit: number): Promise<string[][]> => {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { records, next } = await page(place, limit, after);
    pages.push(records.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return pages;
};

describe("paging through a table", () => {
  test.for([0, 1, 2, 13])("of %d items returns each once, on full pages except the last one", async (size) => {
    const { place, ids } = await tableOf(size);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), async (limit) => {
        const pages = await allPages(place, limit);
        expect(pages.flat().toSorted()).toEqual(ids.toSorted());
        expect(pages).toHaveLength(Math.max(1, Math.ceil(size / limit)));
        for (const items of pages.slice(0, -1)) expect(items).toHaveLength(limit);
      }),
      { numRuns: 15 },
    );
  });

  test("ends with a last page that is exactly full", async () => {
    const { place } = await tableOf(6);
    expect(await page(place, 6)).not.toHaveProperty("next");
    expect(await allPages(place, 3)).toHaveLength(2);
  });

  test("with the largest limit returns each item once", async () => {
    const { place, ids } = await tableOf(1_001);
    const pages = await allPages(place, 1_000);
    expect(pages.map((items) => items.length)).toEqual([1_000, 1]);
    expect(new Set(pages.flat()).size).toBe(ids.length);
  });

  test("continues at the same place if the last item of a page is deleted in the meantime", async () => {
    const { place, ids } = await tableOf(9);
    const first = await page(place, 4);
    await place.client.send(new DeleteItemCommand({ TableName: place.table, Key: { id: { S: String(first.next) } } }));
    const rest = await page(place, 9, first.next);
    expect([...first.records, ...rest.records].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test("continues after any id, including one from a forged cursor", async () => {
    const { place, ids } = await tableOf(5);
    for (const after of ["never there", " ", "\u{10FFFF}".repeat(500)]) {
      const { records } = await page(place, 10, after);
      expect(ids).toEqual(expect.arrayContaining(records.map(({ id }) => id)));
    }
  });

  test("loses no item where DynamoDB's limit of 1 MB is reached first", async () => {
    const { place, ids } = await tableOf(6, "x".repeat(300_000));
    const pages = await allPages(place, 5);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat().toSorted()).toEqual(ids.toSorted());
  });
});

test("a page reads one item more than it returns, however large the table is", async () => {
  for (const size of [20, 200]) {
    const { place } = await tableOf(size);
    const answers = noteAnswers(place.client);
    await page(place, 7);
    expect(answers, `table of ${size}`).toMatchObject([{ ScannedCount: 8 }]);
  }
});

describe("the names of a table's attributes may be words that DynamoDB reserves:", () => {
  interface Reserved {
    name: string;
    order: string;
    timestamp: string;
    text?: string;
  }
  const { rights } = rows;
  const fields = { name: text(), order: text(), timestamp: time, text: optional(text()) };
  const example = { name: "a", order: "1", timestamp: "2026-11-21T10:15:30.123Z" };
  const names = { partitionKey: "name", timeOfChange: "timestamp", hasHistory: true, deletionMark: "delete" } as const;
  const declared = table<Reserved, Table<Reserved>>({
    ...names,
    fields,
    rights,
    example,
    createStore: (opened) => opened,
  });

  test("all operations", async () => {
    const { client, table: tableName } = await database.newTable(declared);
    const store = openStore(declared, { client, tableName });
    const change: Change<Reserved> = {
      condition: "attribute_exists(#name) OR attribute_not_exists(#text)",
      appliesTo: () => true,
      set: () => ({ order: "1", change_shard: "0" }),
      entry: (at) => `${at} test`,
    };
    await store.change({ name: "a" }, { ...change, set: () => ({ order: "1", text: "x", change_shard: "0" }) });
    const changed = await store.change({ name: "a" }, { ...change, remove: ["text"] });
    expect(changed.record).toEqual({ name: "a", order: "1", timestamp: expect.any(String) });
    const seen = [{ ...changed.record }];
    expect(await store.change({ name: "a" }, { ...change, seen })).toMatchObject({ outcome: "changed" });
    expect(await store.change({ name: "a" }, { ...change, seen })).toMatchObject({ outcome: "refused" });
    expect((await store.page({ limit: 1 })).records).toHaveLength(1);
    expect((await store.page({ limit: 1, prefix: "a" })).records).toHaveLength(1);
    expect((await store.pageOf({ limit: 1, prefix: "a" }, ({ name }) => name)).records).toEqual(["a"]);
    expect((await store.changed({ shard: "0", since: "2026-11-21T10:15:30.123Z", limit: 1 })).items).toHaveLength(1);
  });

  test("a query", async () => {
    const sorted = table<Reserved, Table<Reserved>>({
      partitionKey: "name",
      sortKey: "order",
      fields,
      rights,
      example,
      createStore: (opened) => opened,
    });
    const { client, table: tableName } = await database.newTable(sorted);
    const store = openStore(sorted, { client, tableName });
    await store.update({ name: "a", order: "1" }, { expression: "SET #text = :text", values: { text: "x" } });
    expect(await store.query("a", "0")).toMatchObject([{ text: { S: "x" } }]);
  });
});
