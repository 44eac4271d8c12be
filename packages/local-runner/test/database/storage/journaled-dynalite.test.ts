import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { journalDynalite } from "../../../src/database/storage/journaled-dynalite.ts";
import { entriesOf } from "../../support/journal-entries.ts";
import { openJournaledDatabase } from "../../support/journaled-database.ts";

test("a journal with many more changes than entries is rewritten while changes go on, and loses none", async () => {
  const { database, path } = await openJournaledDatabase();
  const sizes: number[] = [];
  for (let round = 0; round < 12; round++) {
    const changes = Array.from({ length: 1000 }, (_, index) => database.put(`key ${index % 10}`, { round, index }));
    await Promise.all([...changes, database.put(`once ${round}`, round), database.del(`once ${round - 1}`)]);
    sizes.push((await stat(path)).size);
  }
  const entries = Object.fromEntries(await database.iterator().all());
  await database.close();

  expect(await entriesOf(path)).toEqual(entries);
  expect(entries).toMatchObject({ "key 3": { round: 11, index: 993 }, "once 11": 11 });
  expect(Object.keys(entries)).toHaveLength(11);
  expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes) / 2);
});

// The last one, because it takes the place of memory-level for good.
test("without the memory-level that dynalite uses, the start fails instead of storing nothing", async () => {
  await expect(journalDynalite("journal").load()).rejects.toThrow("with the installed memory-level");
});
