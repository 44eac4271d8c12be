import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { makePrivate, syncFolder } from "../../support/private-files.ts";
import { appendEntries, createJournal, type Journal } from "./journal.ts";

export interface DataFolder {
  /** The journal with the data. */
  journalPath: string;
  unlock: () => Promise<void>;
}

/** Takes the data folder for this process, and makes an empty journal if there is no data yet. */
export const openDataFolder = async (dataDirectory: string): Promise<DataFolder> => {
  const { unlock } = await lock(join(dataDirectory, "lock"));
  const folder = join(dataDirectory, "database");
  const formerFolder = join(dataDirectory, "dynamodb");
  const hasFormerData = existsSync(formerFolder);
  if (existsSync(folder)) {
    if (hasFormerData) throw new Error(`${folder} and ${formerFolder}, where earlier versions keep it, both have data`);
  } else {
    // The folder and its journal are created in one step, so a folder without a journal has lost it.
    const draft = join(dataDirectory, "database.new");
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const journal = createJournal(join(draft, "journal"));
    if (hasFormerData) await importLevel(formerFolder, journal);
    journal.close();
    await rename(draft, folder);
    syncFolder(dataDirectory);
    if (hasFormerData) await rename(formerFolder, join(dataDirectory, "dynamodb.imported"));
  }
  await makePrivate(folder);
  return { journalPath: join(folder, "journal"), unlock };
};

/**
 * Locks a folder until the process ends, however it ends. Node.js has no locks that the system releases, but LevelDB has.
 * Nothing is stored there, so a damaged folder is simply made again.
 */
const lock = async (path: string): Promise<{ unlock: () => Promise<void> }> => {
  const open = async () => {
    const level = new ClassicLevel(path);
    await level.open();
    return level;
  };
  const level = await open().catch(async (error) => {
    if (error.cause?.code === "LEVEL_LOCKED") throw error;
    await rm(path, { recursive: true, force: true });
    return open();
  });
  await makePrivate(path);
  // The function keeps the database from being collected as garbage, which would release the lock.
  return { unlock: () => level.close() };
};

/** Copies the data that a version before 1.1 kept in LevelDB. */
const importLevel = async (path: string, journal: Journal): Promise<void> => {
  await makePrivate(path);
  const level = new ClassicLevel<string, unknown>(path, { valueEncoding: "json", createIfMissing: false });
  await level.open();
  try {
    await appendEntries(journal, level.iterator());
    // LevelDB leaves out what it cannot read, and says so in this file only.
    const damage = /^.*(corruption|dropping|ignoring).*$/im.exec(await readFile(join(path, "LOG"), "utf8"));
    if (damage) throw new Error(`LevelDB reports in ${join(path, "LOG")}: ${damage[0]}`);
  } finally {
    await level.close();
  }
};
