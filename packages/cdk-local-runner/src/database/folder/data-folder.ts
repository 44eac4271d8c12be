import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivate, syncFolder } from "../../support/private-files.ts";
import { isBusy } from "./head.ts";
import { createSqliteStorage, openSqliteStorage, type SqliteStorage } from "./sqlite-storage.ts";

export interface DataFolder {
  storage: SqliteStorage;
  /** Closes the storage and releases the folder. */
  close: () => void;
}

/** The failure code if another process is using the data folder. */
export const folderInUse = "FOLDER_IN_USE";

const fileName = "tables.sqlite";

/** Locks the data folder for this process, and creates an empty storage if there is no data yet. */
export const openDataFolder = async (dataDirectory: string): Promise<DataFolder> => {
  const lock = await lockFile(join(dataDirectory, "lock.sqlite"));
  try {
    const folder = join(dataDirectory, "tables");
    await prepare(dataDirectory, folder);
    await makePrivate(folder);
    const storage = openSqliteStorage(join(folder, fileName));
    const close = () => {
      storage.close();
      lock.close();
    };
    return { storage, close };
  } catch (error) {
    lock.close();
    throw error;
  }
};

/**
 * Locks a file until the process ends for any reason, because the system releases SQLite's locks. The file stores nothing, so a
 * damaged one is simply recreated.
 */
const lockFile = async (path: string): Promise<DatabaseSync> => {
  const lock = () => {
    const database = new DatabaseSync(path);
    try {
      database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  const locked = await Promise.resolve()
    .then(lock)
    .catch(async (error: unknown) => {
      if (isBusy(error)) throw Object.assign(new Error(`${path} is locked`), { code: folderInUse });
      await rm(path, { force: true });
      return lock();
    });
  await chmod(path, 0o600);
  return locked;
};

/**
 * Creates the folder with the storage if there is none. The complete folder appears in one step, so a folder without its files has
 * lost them.
 */
const prepare = async (dataDirectory: string, folder: string): Promise<void> => {
  if (existsSync(folder)) return;
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  createSqliteStorage(join(draft, fileName)).close();
  await rename(draft, folder);
  syncFolder(dataDirectory);
};
