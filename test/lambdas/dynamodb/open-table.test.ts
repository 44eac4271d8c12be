import { BatchWriteItemCommand, DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { text } from "../../../lambdas/dynamodb/formats.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Table, table } from "../../../lambdas/dynamodb/table.ts";
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
