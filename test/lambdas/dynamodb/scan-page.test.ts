import { describe, expect, test } from "vitest";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import { maxPageBytes, scanPage } from "../../../lambdas/dynamodb/scan-page.ts";
import type { PageRequest } from "../../../lambdas/dynamodb/table.ts";

interface Thing {
  id: string;
  text: string;
}

const stepBytes = 1_000_000;

/** A table that scans as DynamoDB does: a step ends at its limit or at 1 MB. Items without a text are tombstones. */
const tableOf = (things: readonly Partial<Thing>[]) => {
  const limits: (number | undefined)[] = [];
  /** The ids of the records that were read. */
  const read: string[] = [];
  const readPage = (request: PageRequest) =>
    scanPage(
      {
        partitionKey: "id",
        read: ({ id, text }: Item): Thing | undefined => {
          if (!text) return undefined;
          read.push(String(id?.S));
          return { id: String(id?.S), text: String(text.S) };
        },
        scan: async ({ Limit, ExclusiveStartKey }) => {
          limits.push(Limit);
          const start = ExclusiveStartKey ? things.findIndex(({ id }) => id === ExclusiveStartKey.id?.S) + 1 : 0;
          let [end, bytes] = [start, 0];
          while (end < things.length && end - start < (Limit ?? Number.POSITIVE_INFINITY) && bytes < stepBytes) {
            bytes += 50 + Buffer.byteLength(things[end]?.text ?? "");
            end += 1;
          }
          const found = things.slice(start, end);
          const Items = found.map(({ id = "", text }) => ({ id: { S: id }, ...(text && { text: { S: text } }) }));
          const isEnd = end === things.length && Limit !== found.length && bytes < stepBytes;
          return { $metadata: {}, Items, ...(!isEnd && { LastEvaluatedKey: { id: { S: found.at(-1)?.id ?? "" } } }) };
        },
      },
      request,
    );
  return { limits, read, readPage };
};

const thingsNamed = (count: number, text: (index: number) => string | undefined): Partial<Thing>[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `id ${index}`;
    const content = text(index);
    return content === undefined ? { id } : { id, text: content };
  });

const readAll = async ({ readPage }: ReturnType<typeof tableOf>, limit?: number) => {
  const pages: Thing[][] = [];
  for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
    const { records, next } = await readPage({ limit, after });
    pages.push(records);
    after = next;
  }
  return pages;
};

describe("a page without a limit", () => {
  test("has all records if they fit, read in steps of 1 MB", async () => {
    const things = thingsNamed(15_000, () => "x".repeat(150));
    const table = tableOf(things);
    const pages = await readAll(table);
    expect(pages).toEqual([things]);
    expect(table.limits).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("has no records and no next page if the table is empty", async () => {
    expect(await tableOf([]).readPage({})).toEqual({ records: [], examined: 0 });
  });

  test.for([
    ["plain", "x".repeat(150)],
    ["escaped in JSON", '\u0001"\\'.repeat(50)],
    ["outside of ASCII", "ü😀".repeat(25)],
  ] as const)(
    "never exceeds its size as JSON, and the next one continues where it ends: texts that are %s",
    async ([, text]) => {
      const things = thingsNamed(30_000, () => text);
      const pages = await readAll(tableOf(things));
      expect(pages.flat()).toEqual(things);
      const sizes = pages.map((page) => Buffer.byteLength(JSON.stringify(page)));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(maxPageBytes + 1);
      for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(maxPageBytes - 1_000);
    },
  );

  test("skips tombstones, and ends early rather than read on without end", async () => {
    const things = thingsNamed(4_000, (index) => (index < 20 ? "x".repeat(150) : undefined));
    expect((await readAll(tableOf(things))).flat()).toEqual(things.slice(0, 20));
    const many = thingsNamed(900_000, (index) => (index === 899_999 ? "x" : undefined));
    const table = tableOf(many);
    const { records, next } = await table.readPage({});
    expect(records).toEqual([]);
    expect(next).toBeDefined();
    expect(table.limits).toHaveLength(40);
    expect((await readAll(table)).flat()).toEqual(many.slice(-1));
  });
});

describe("a page with a limit", () => {
  test.for([1, 2, 7, 99, 100, 101])(
    "of %i never has more records, and the pages have every record once",
    async (limit) => {
      const things = thingsNamed(300, (index) => (index % 3 === 0 ? undefined : "x"));
      const pages = await readAll(tableOf(things), limit);
      expect(pages.flat()).toEqual(things.filter(({ text }) => text));
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    },
  );

  test("reads one record more than it has, and no others of the step", async () => {
    const things = thingsNamed(300, (index) => (index < 50 ? undefined : "x"));
    const table = tableOf(things);
    expect((await table.readPage({ limit: 10 })).records).toHaveLength(10);
    expect(table.read).toEqual([
      "id 50",
      "id 51",
      "id 52",
      "id 53",
      "id 54",
      "id 55",
      "id 56",
      "id 57",
      "id 58",
      "id 59",
      "id 60",
    ]);
  });

  test("takes one step if nothing was deleted", async () => {
    const table = tableOf(thingsNamed(300, () => "x"));
    expect((await table.readPage({ limit: 100 })).next).toBe("id 99");
    expect(table.limits).toEqual([101]);
  });

  test("ends where DynamoDB ends a step at 1 MB", async () => {
    const things = thingsNamed(1_000, () => "x".repeat(2_000));
    const { records, next } = await tableOf(things).readPage({ limit: 1_000 });
    expect(records.length).toBeGreaterThan(480);
    expect(records.length).toBeLessThan(510);
    expect(next).toBe(records.at(-1)?.id);
  });
});
