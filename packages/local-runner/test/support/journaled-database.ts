import { join } from "node:path";
import memoryLevel from "memory-level";
import { createJournal } from "../../src/database/storage/journal.ts";
import { journalDynalite } from "../../src/database/storage/journaled-dynalite.ts";
import { temporaryDirectory } from "./folders.ts";

/** Opens the database that dynalite uses, with a new journal at `path`. */
export const openJournaledDatabase = async () => {
  const path = join(await temporaryDirectory(), "journal");
  createJournal(path).close();
  const { load } = journalDynalite(path);
  const database = new memoryLevel.MemoryLevel<string, unknown>({ valueEncoding: "json" });
  await load();
  return { database, path };
};
