import { describe, expect, test } from "vitest";
import { putItems, putMissingItems } from "../../../tools/recovery/copy/write-items.ts";

const items = (count: number) => Array.from({ length: count }, (_, index) => ({ key_id: { S: `${index}` } }));
const { signal } = new AbortController();

/** A table that takes the given number of items of each batch. */
const tableThatTakes = (taken: (batch: number) => number) => {
  const batches: number[] = [];
  const present = new Set<string | undefined>();
  return {
    name: "target",
    batches,
    present,
    async putBatch(batch: readonly { key_id?: { S?: string } }[]) {
      const count = taken(batches.push(batch.length));
      for (const { key_id } of batch.slice(0, count)) present.add(key_id?.S);
      return batch.slice(count);
    },
    putIfMissing: async ({ key_id }: { key_id?: { S?: string } }) => {
      const isNew = !present.has(key_id?.S);
      present.add(key_id?.S);
      return isNew;
    },
  };
};

describe("putting items", () => {
  test("is in batches of 25, the most that DynamoDB takes", async () => {
    const table = tableThatTakes(() => 25);
    await putItems(table, items(60), { signal });

    expect(table.batches).toEqual([25, 25, 10]);
    expect(table.present.size).toBe(60);
  });

  test("repeats exactly the items that were not taken, and waits longer each time none were", async () => {
    const waits: number[] = [];
    const table = tableThatTakes((batch) => (batch <= 6 ? 0 : 10));
    await putItems(table, items(25), {
      signal,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
      },
    });

    expect(table.batches).toEqual([25, 25, 25, 25, 25, 25, 25, 15, 5]);
    expect(table.present.size).toBe(25);
    for (const [attempt, milliseconds] of waits.slice(0, 6).entries()) {
      expect(milliseconds).toBeLessThanOrEqual(100 * 2 ** attempt);
    }
  });

  test("is given up after more than a minute without progress, with advice", async () => {
    const table = tableThatTakes(() => 0);
    const putting = putItems(table, items(1), { signal, wait: async () => {} });

    await expect(putting).rejects.toThrow(
      "Table target has been throttled for more than a minute: wait, or give it warm",
    );
    expect(table.batches).toHaveLength(15);
  });

  test("stops waiting when it is interrupted", async () => {
    const controller = new AbortController();
    const table = tableThatTakes(() => {
      controller.abort();
      return 0;
    });

    await expect(putItems(table, items(1), { signal: controller.signal })).rejects.toThrow("aborted");
  });
});

test("putting only what is missing says how many items were there already", async () => {
  const table = tableThatTakes(() => 0);
  table.present.add("3").add("4");

  expect(await putMissingItems(table, items(40))).toBe(2);
  expect(table.present.size).toBe(40);
});
