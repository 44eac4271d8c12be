import { closeSync, fdatasync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";

/** Data was changed by something other than this program. The message names the file. */
export class DamagedData extends Error {
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
  }
}

/** Returns the code of a SQLite error, without its details; undefined for other errors. */
const codeOfSqlite = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;

export const isBusy = (error: unknown): boolean => codeOfSqlite(error) === 5;

// No permission, busy, locked, no memory, read-only, interrupted, input or output, full, cannot open, authorisation.
const environmentCodes = [3, 5, 6, 7, 8, 9, 10, 13, 14, 23];
const shortRead = 522;

/** Returns the damage that a SQLite error reveals, or the error itself if it has another cause. */
export const damageIn = (error: unknown, path: string): unknown => {
  const code = codeOfSqlite(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const isDamage = code === shortRead || !environmentCodes.includes(code & 0xff);
  return isDamage ? new DamagedData(path, `cannot be read: ${error.message}`, { cause: error }) : error;
};

/** The number of writes, and the sum of the checksums of all rows after them. */
export interface State {
  writes: number;
  sum: string;
}

/** A file with the state after the last write. */
export interface Head {
  state: State;
  write: (state: State) => void;
  sync: () => Promise<void>;
  close: () => void;
}

const length = 50;

// The text always has the same length. If it is damaged, it no longer fits the state in the database.
const textOf = ({ writes, sum }: State): string => `${String(writes).padStart(16, "0")} ${sum}\n`;

/** Creates the file, which must not exist. */
export const createHead = (path: string, state: State): void => {
  const file = openSync(path, "wx", 0o600);
  writeSync(file, textOf(state), 0);
  fsyncSync(file);
  closeSync(file);
};

export const openHead = (path: string): Head => {
  const file = openSync(path, "r+");
  const buffer = Buffer.alloc(length);
  readSync(file, buffer, 0, length, 0);
  const [writes, sum = ""] = buffer.toString("latin1").trimEnd().split(" ");
  return {
    state: { writes: Number(writes), sum },
    // The text fits in one page of the file system, so a kill leaves either the old or the new text.
    write: (next) => void writeSync(file, textOf(next), 0),
    sync: () => promisify(fdatasync)(file),
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
};
