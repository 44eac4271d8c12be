import { hash } from "node:crypto";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { codeOf } from "../support/local-error.ts";
import { DamagedData, damageIn } from "./damage.ts";
import type { Storage } from "./engine/storage.ts";

export interface SqliteStorage extends Storage {
  /** Waits until everything is on disk. */
  sync: () => void;
  close: () => void;
}

// SQLite finds damaged pages, but not changed contents. Each row has a checksum that reveals changed contents.
const schema = "CREATE TABLE rows (place BLOB PRIMARY KEY, item TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;";

// An acknowledged write is in the log, so it survives the process. `sync` makes it survive a power cut.
const settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

/**
 * Opens a storage, and creates it if there is no file. The file is locked until the process ends for any reason.
 *
 * @throws {DamagedData} if the file is damaged, or anything other than this storage has changed a row
 */
export const openSqliteStorage = (path: string): SqliteStorage => {
  const isNew = makePrivateFile(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(`${settings} BEGIN EXCLUSIVE; ${isNew ? schema : ""} COMMIT;`);
    checkContent(path, database);
    return storageOf(path, database);
  } catch (error) {
    database.close();
    throw damageIn(error, path);
  }
};

/**
 * Creates an empty file that only its owner can read, or makes an existing file private. SQLite gives the other files that it
 * creates the same mode. Returns whether the file is new.
 */
const makePrivateFile = (path: string): boolean => {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // SQLite takes a file of up to one byte for a new one.
    if (statSync(path).size < 2) throw new DamagedData(path, "is empty");
    chmodSync(path, 0o600);
    return false;
  }
};

const storageOf = (path: string, database: DatabaseSync): SqliteStorage => {
  const statements = {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    get: database.prepare("SELECT * FROM rows WHERE place = ?"),
    put: database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)"),
    remove: database.prepare("DELETE FROM rows WHERE place = ?"),
    forwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place"),
    backwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place DESC"),
  };
  let isSynced = true;

  const guarded = <Result>(use: () => Result): Result => {
    try {
      return use();
    } catch (error) {
      throw damageIn(error, path);
    }
  };

  const writeAll: Storage["write"] = (changes) => {
    for (const [place, item] of changes) {
      if (item === undefined) statements.remove.run(bytesOf(place));
      else {
        const text = JSON.stringify(item);
        statements.put.run(bytesOf(place), text, checksumOf(place, text));
      }
    }
    statements.commit.run();
  };

  return {
    get: (place) =>
      guarded(() => {
        const row = statements.get.get(bytesOf(place));
        return row && JSON.parse(String(row.item));
      }),
    *range(from, before, isBackwards = false) {
      const statement = isBackwards ? statements.backwards : statements.forwards;
      try {
        for (const row of statement.iterate(bytesOf(from), bytesOf(before))) {
          yield [placeIn(row), JSON.parse(String(row.item))];
        }
      } catch (error) {
        throw damageIn(error, path);
      }
    },
    write(changes) {
      guarded(() => {
        statements.begin.run();
        try {
          writeAll(changes);
        } catch (error) {
          if (database.isTransaction) statements.rollback.run();
          throw error;
        }
        isSynced = false;
      });
    },
    sync() {
      if (isSynced) return;
      // Moves the log into the file, because SQLite mistakes a damaged end of its log for incomplete writes and drops it.
      guarded(() => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
      isSynced = true;
    },
    close: () => database.close(),
  };
};

/** @throws {DamagedData} if a page is damaged or a row has a wrong checksum */
const checkContent = (path: string, database: DatabaseSync): void => {
  const [found] = database.prepare("PRAGMA integrity_check(1)").all();
  if (found?.integrity_check !== "ok") throw new DamagedData(path, `is damaged: ${found?.integrity_check}`);
  for (const row of database.prepare("SELECT * FROM rows").iterate()) {
    const { item, checksum } = row;
    if (typeof item !== "string" || checksumOf(placeIn(row), item) !== checksum) {
      throw new DamagedData(path, "has a row with a wrong checksum");
    }
  }
};

const placeIn = ({ place }: Record<string, SQLOutputValue>): string =>
  place instanceof Uint8Array ? Buffer.from(place).toString("latin1") : "";

const bytesOf = (place: string): Buffer => Buffer.from(place, "latin1");

const checksumOf = (place: string, item: string): string => hash("sha256", `${place}\n${item}`, "hex").slice(0, 32);
