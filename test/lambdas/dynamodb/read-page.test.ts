import { expect, test } from "vitest";
import { maxPageBytes, readPage } from "../../../lambdas/dynamodb/read-page.ts";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import type { PageRequest } from "../../../lambdas/dynamodb/table.ts";

interface Thing {
  id: string;
  text: string;
}

const stepBytes = 1_000_000;

/** A table that scans like DynamoDB: a step ends at its limit or at 1 MB. Items without `text` are tombstones. */
const tableOf = (count: number, textOf: (index: number) => string | undefined) => {
  const texts = Array.from({ length: count }, (_, index) => textOf(index));
  const idOf = (index: number) => `id ${index}`;
  const limits: (number | undefined)[] = [];
  /** Returns the ids of the records that were read. */
  const read: string[] = [];
  const readOne = (request: PageRequest) =>
    readPage(
      {
        positions: { of: ({ id }: Item) => id?.S, keyOf: (id: string) => ({ id: { S: id } }) },
        read: ({ id, text }: Item): Thing | undefined => {
          if (!text) return undefined;
          read.push(String(id?.S));
          return { id: String(id?.S), text: String(text.S) };
        },
        readStep: async ({ Limit, ExclusiveStartKey }) => {
          limits.push(Limit);
          const start = ExclusiveStartKey ? Number(ExclusiveStartKey.id?.S?.slice(3)) + 1 : 0;
          let [end, bytes] = [start, 0];
          while (end < count && end - start < (Limit ?? count) && bytes < stepBytes) {
            bytes += 50 + Buffer.byteLength(texts[end] ?? "a history".repeat(90));
            end += 1;
          }
          const Items = texts.slice(start, end).map((text, index) => ({
            id: { S: idOf(start + index) },
            ...(text !== undefined && { text: { S: text } }),
          }));
          const isEnd = end === count && Limit !== Items.length && bytes < stepBytes;
          return {
            Items,
            ScannedCount: Items.length,
            ...(!isEnd && { LastEvaluatedKey: { id: { S: idOf(end - 1) } } }),
          };
        },
      },
      request,
    );
  const readAll = async (limit?: number) => {
    const pages: Thing[][] = [];
    for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
      const { records, next } = await readOne({ limit, after });
      pages.push(records);
      after = next;
    }
    return pages;
  };
  const things = texts.flatMap((text, index): Thing[] => (text === undefined ? [] : [{ id: idOf(index), text }]));
  return { things, limits, read, readPage: readOne, readAll };
};

test("a page without a limit returns all records that fit, read in steps of 1 MB", async () => {
  const { things, limits, readAll } = tableOf(15_000, () => "x".repeat(150));
  expect(await readAll()).toEqual([things]);
  expect(limits).toEqual([undefined, undefined, undefined, undefined]);
  expect(await tableOf(0, () => "x").readPage({})).toEqual({ records: [], examined: 0 });
});

test.for([
  ["plain", "x".repeat(150)],
  ["escaped in JSON", '\u0001"\\'.repeat(50)],
  ["outside of ASCII", "ü😀".repeat(25)],
] as const)(
  "a page without a limit fits into Lambda's 6 MB, and the next page continues there: %s",
  async ([, text]) => {
    const { things, readAll } = tableOf(30_000, () => text);
    const pages = await readAll();
    expect(pages.flat()).toEqual(things);
    const sizes = pages.map((page) => Buffer.byteLength(JSON.stringify(page)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxPageBytes + 1);
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(maxPageBytes - 1_000);
    // In base64, with headers.
    expect((maxPageBytes * 4) / 3 + 20_000).toBeLessThan(6 * 1024 * 1024);
  },
);

test("a page without a limit skips tombstones, and ends early instead of reading on indefinitely", async () => {
  const few = tableOf(4_000, (index) => (index < 20 ? "x".repeat(150) : undefined));
  expect((await few.readAll()).flat()).toEqual(few.things);
  const many = tableOf(50_000, (index) => (index === 49_999 ? "x" : undefined));
  const { records, next } = await many.readPage({});
  expect({ records, next }).toEqual({ records: [], next: expect.any(String) });
  expect(many.limits).toHaveLength(40);
  expect((await many.readAll()).flat()).toEqual(many.things);
});

test("a page with a limit reads one more record than it returns, in one step if nothing was deleted", async () => {
  const deleted = tableOf(300, (index) => (index < 50 ? undefined : "x"));
  expect((await deleted.readPage({ limit: 10 })).records).toEqual(deleted.things.slice(0, 10));
  expect(deleted.read).toEqual(deleted.things.slice(0, 11).map(({ id }) => id));
  const { limits, readPage } = tableOf(300, () => "x");
  expect((await readPage({ limit: 100 })).next).toBe("id 99");
  expect(limits).toEqual([101]);
});

test("a page with a limit skips tombstones in growing steps, and ends after thousands in a row", async () => {
  const { limits, readPage } = tableOf(9_500, () => undefined);
  const { next, ...page } = await readPage({ limit: 1 });
  expect(limits).toEqual([2, 8, 32, 128, 512, 1_000, 1_000, 1_000, 1_000, 1_000]);
  expect(page).toEqual({ records: [], examined: 5_682 });
  expect(await readPage({ limit: 1, after: next })).toEqual({ records: [], examined: 9_500 - 5_682 });
});

test("a page with a limit ends where DynamoDB ends a step at 1 MB", async () => {
  const { records, next } = await tableOf(1_000, () => "x".repeat(2_000)).readPage({ limit: 1_000 });
  expect(Math.abs(records.length - 495)).toBeLessThan(15);
  expect(next).toBe(records.at(-1)?.id);
});
