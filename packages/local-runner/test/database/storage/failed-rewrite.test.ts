import { stat } from "node:fs/promises";
import { join } from "node:path";
import memoryLevel from "memory-level";
import { expect, test, vi } from "vitest";
import { createJournal } from "../../../src/database/storage/journal.ts";
import { journalDynalite } from "../../../src/database/storage/journaled-dynalite.ts";
import { temporaryDirectory } from "../../support/folders.ts";
import { entriesOf } from "../../support/journal-entries.ts";

test("a journal that cannot be rewritten goes on, loses nothing, and is rewritten later", async () => {
  const path = join(await temporaryDirectory(), "journal");
  createJournal(path).close();
  const { load } = journalDynalite(path);
  const database = new memoryLevel.MemoryLevel<string, unknown>({ valueEncoding: "json" });
  await load();
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
