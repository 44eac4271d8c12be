import { stat } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { entriesOf } from "../../support/journal-entries.ts";
import { openJournaledDatabase } from "../../support/journaled-database.ts";

test("a journal that cannot be rewritten goes on, loses nothing, and is rewritten later", async () => {
  const { database, path } = await openJournaledDatabase();
  const change = async (rounds: number) => {
    for (let index = 0; index < rounds; index += 1) await database.put("key", index);
    return (await stat(path)).size;
  };
  const iterator = vi.spyOn(database, "iterator").mockImplementation(() => {
    throw new Error("no space left on device");
  });
  const before = await change(12_000);
  iterator.mockRestore();
  expect(await entriesOf(path)).toEqual({ key: 11_999 });

  expect(await change(12_000)).toBeLessThan(before / 2);
  await database.close();
  expect(await entriesOf(path)).toEqual({ key: 11_999 });
});
