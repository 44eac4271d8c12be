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

/*
 * `rows` has a checksum for each row. `state` has the sum of all checksums, which doesn't depend on their order. Each write updates
 * both in one transaction.
 */
const schema = `
  CREATE TABLE rows (place BLOB PRIMARY KEY, item TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE state (id INTEGER PRIMARY KEY, sum TEXT NOT NULL);
  INSERT INTO state VALUES (1, '${"0".repeat(32)}');`;

// An acknowledged write is in the log, so it survives the process. `sync` makes it survive a power cut.
const settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

/**
 * Opens a storage, and creates it if there is no file. The file is locked until the process ends for any reason.
 *
 * @throws {DamagedData} if anything other than this storage has changed, added or removed a row
 */
export const openSqliteStorage = (path: string): SqliteStorage => {
  const isNew = makePrivateFile(path);
  const database = new DatabaseSync(path);
  try {
    database.exec(`${settings} BEGIN EXCLUSIVE; ${isNew ? schema : ""} COMMIT;`);
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
    setSum: database.prepare("UPDATE state SET sum = ?"),
    get: database.prepare("SELECT * FROM rows WHERE place = ?"),
    put: database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)"),
    remove: database.prepare("DELETE FROM rows WHERE place = ?"),
    forwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place"),
    backwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place DESC"),
  };
  let sum = sumOf(path, database.prepare("SELECT * FROM rows ORDER BY place").iterate());
  const [stored] = database.prepare("SELECT sum FROM state").all();
  if (textOf(sum) !== stored?.sum) throw new DamagedData(path, "has lost rows, or has older ones");
  let isSynced = true;

  const guarded = <Result>(use: () => Result): Result => {
    try {
      return use();
    } catch (error) {
      throw damageIn(error, path);
    }
  };

  const writeAll: Storage["write"] = (changes) => {
    let next = sum;
    for (const [place, item] of changes) {
      const before = statements.get.get(bytesOf(place));
      if (before) next -= BigInt(`0x${before.checksum}`);
      if (item === undefined) statements.remove.run(bytesOf(place));
      else {
        const text = JSON.stringify(item);
        const checksum = checksumOf(place, text);
        statements.put.run(bytesOf(place), text, checksum);
        next += BigInt(`0x${checksum}`);
      }
    }
    next = BigInt.asUintN(128, next);
    statements.setSum.run(textOf(next));
    statements.commit.run();
    sum = next;
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

/** Returns the sum of the checksums of all rows, given in the order of their places. */
const sumOf = (path: string, rows: Iterable<Record<string, SQLOutputValue>>): bigint => {
  let sum = 0n;
  let previous = "";
  for (const row of rows) {
    const { item, checksum } = row;
    const place = placeIn(row);
    if (typeof item !== "string" || checksumOf(place, item) !== checksum) {
      throw new DamagedData(path, "has a row with a wrong checksum");
    }
    if (place <= previous) throw new DamagedData(path, "has rows in the wrong order");
    previous = place;
    sum += BigInt(`0x${checksum}`);
  }
  return BigInt.asUintN(128, sum);
};

const placeIn = ({ place }: Record<string, SQLOutputValue>): string =>
  place instanceof Uint8Array ? Buffer.from(place).toString("latin1") : "";

const bytesOf = (place: string): Buffer => Buffer.from(place, "latin1");

const checksumOf = (place: string, item: string): string => hash("sha256", `${place}\n${item}`, "hex").slice(0, 32);

/** Formats a sum. It has 128 bits, like checksums. */
const textOf = (sum: bigint): string => sum.toString(16).padStart(32, "0");
