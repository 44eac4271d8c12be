import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { Storage } from "../engine/storage.ts";
import { createHead, DamagedData, damageIn, openHead } from "./head.ts";

export interface SqliteStorage extends Storage {
  /** Waits until everything is on disk. */
  sync: () => Promise<void>;
  close: () => void;
}

/*
 * `rows` has a checksum for each row. `state` has the sum of all checksums, which doesn't depend on their order. Each write updates
 * both in one transaction. The head, a separate file, has a copy of the state, because SQLite mistakes a damaged or missing end of
 * its log for incomplete writes and drops it.
 */
const schema = `
  CREATE TABLE rows (place BLOB PRIMARY KEY, item TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE state (writes INTEGER NOT NULL, sum TEXT NOT NULL);
  INSERT INTO state VALUES (0, '${"0".repeat(32)}');`;

// An acknowledged write is in the log, so it survives the process. `sync` makes it survive a power cut.
const settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

const headOf = (path: string): string => `${path}-head`;

/** Creates the files of an empty storage, which must not exist. */
export const createSqliteStorage = (path: string): SqliteStorage => {
  const database = new DatabaseSync(path);
  database.exec(`${settings} ${schema}`);
  database.close();
  createHead(headOf(path), { writes: 0, sum: textOf(0n) });
  return openSqliteStorage(path);
};

/** @throws {DamagedData} if anything other than this storage has changed, added or removed a row */
export const openSqliteStorage = (path: string): SqliteStorage => {
  if (!existsSync(path)) throw new DamagedData(path, "is missing");
  const head = openHead(headOf(path));
  const database = new DatabaseSync(path);
  try {
    return storageOf({ path, database, head });
  } catch (error) {
    database.close();
    head.close();
    throw damageIn(error, path);
  }
};

interface Files {
  path: string;
  database: DatabaseSync;
  head: ReturnType<typeof openHead>;
}

const storageOf = ({ path, database, head }: Files): SqliteStorage => {
  database.exec(settings);
  const statements = {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    setState: database.prepare("UPDATE state SET writes = ?, sum = ?"),
    get: database.prepare("SELECT * FROM rows WHERE place = ?"),
    put: database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)"),
    remove: database.prepare("DELETE FROM rows WHERE place = ?"),
    forwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place"),
    backwards: database.prepare("SELECT * FROM rows WHERE place >= ? AND place < ? ORDER BY place DESC"),
  };
  const stored = database.prepare("SELECT writes, sum FROM state").all();
  const [last] = stored;
  let { writes } = head.state;
  // The process may have been killed after a write but before it updated the head. Nobody was told about that write.
  const isNext = last?.writes === writes + 1;
  if (stored.length !== 1 || !(isNext || (last?.writes === writes && last.sum === head.state.sum))) {
    throw new DamagedData(path, `or ${headOf(path)} is not complete: write ${last?.writes} is the last, not ${writes}`);
  }
  let sum = sumOf(path, database.prepare("SELECT * FROM rows ORDER BY place").iterate());
  if (textOf(sum) !== last?.sum) throw new DamagedData(path, "has lost rows, or has older ones");
  if (isNext) {
    writes += 1;
    head.write({ writes, sum: textOf(sum) });
  }
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
    statements.setState.run(writes + 1, textOf(next));
    statements.commit.run();
    [sum, writes] = [next, writes + 1];
  };

  const sync = async (): Promise<void> => {
    isSynced = true;
    const log = await open(`${path}-wal`, "r+").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await log?.datasync();
    await log?.close();
    await head.sync();
  };

  return {
    get: (place) =>
      guarded(() => {
        const row = statements.get.get(bytesOf(place));
        return row && JSON.parse(String(row.item));
      }),
    *range(from, before, isBackwards = false) {
      const statement = isBackwards ? statements.backwards : statements.forwards;
      const rows = statement.iterate(bytesOf(from), bytesOf(before));
      for (;;) {
        const { done, value } = guarded(() => rows.next());
        if (done) return;
        yield [placeIn(value), JSON.parse(String(value.item))];
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
        head.write({ writes, sum: textOf(sum) });
        isSynced = false;
      });
    },
    async sync() {
      if (!isSynced) await sync();
    },
    close() {
      database.close();
      head.close();
    },
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
