import { hash } from "node:crypto";
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

const pattern = /^head 1 (\d{16}) ([0-9a-f]{32}) ([0-9a-f]{16})\n$/;
const length = 74;

const textOf = ({ writes, sum }: State): string => {
  const content = `head 1 ${String(writes).padStart(16, "0")} ${sum}`;
  return `${content} ${hash("sha256", content, "hex").slice(0, 16)}\n`;
};

/** Creates the file, which must not exist. */
export const createHead = (path: string, state: State): void => {
  const file = openSync(path, "wx", 0o600);
  writeSync(file, textOf(state), 0);
  fsyncSync(file);
  closeSync(file);
};

/** @throws {DamagedData} if the file's checksum is wrong */
export const openHead = (path: string): Head => {
  const file = openSync(path, "r+");
  const buffer = Buffer.alloc(length + 1);
  const text = buffer.toString("latin1", 0, readSync(file, buffer, 0, length + 1, 0));
  const [, writes = "", sum = ""] = pattern.exec(text) ?? [];
  const state = { writes: Number(writes), sum };
  if (text === "" || textOf(state) !== text) {
    closeSync(file);
    throw new DamagedData(path, "does not have its checksum");
  }
  return {
    state,
    // The text fits in one page of the file system, so a kill leaves either the old or the new text.
    write: (next) => void writeSync(file, textOf(next), 0),
    sync: () => promisify(fdatasync)(file),
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
};
