import { createHash, type Hash } from "node:crypto";
import { closeSync, createReadStream, fdatasync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

/** Stores a value, or removes the entry if there is no value. */
export type Change = [key: string, value: unknown] | [key: string];

/** The changes that make up the data, in one file. */
export interface Journal {
  /** Adds changes that take effect together or not at all. They survive the process from the moment that this returns. */
  append: (changes: Change[]) => void;
  /** Waits until the disk has everything. */
  sync: () => void;
  close: () => void;
}

/*
 * The file starts with a header of fixed length: `journal 1`, how many bytes of content count, and their SHA-256. The
 * content has a line of JSON for each append. An append writes its line first and the header next. If the process is killed
 * in between, the line does not count, and nobody was told that it did. Any other change to the header or to a byte that
 * counts is damage.
 */
const headerOf = (bytes: number, sha256: string): string => `journal 1 ${String(bytes).padStart(16, "0")} ${sha256}\n`;
const headerPattern = /^journal 1 (\d{16}) [0-9a-f]{64}\n$/;
const headerBytes = headerOf(0, "0".repeat(64)).length;
const lineEnd = 0x0a;

const entriesPerAppend = 1000;

// The process can be killed at any time without losing a change. A power cut can lose those of the last second, or leave a
// journal that a start refuses.
const syncMilliseconds = 1000;

/** Creates the file, which must not exist, with an empty journal. */
export const createJournal = (path: string): Journal => {
  const file = openSync(path, "wx", 0o600);
  const hash = createHash("sha256");
  writeFully(file, headerOf(0, digestOf(hash)), 0);
  return journalOf(file, { bytes: 0, hash });
};

/** Verifies the file, and then passes on each append in order. Throws if the file is damaged. */
export const openJournal = async (path: string, apply: (changes: Change[]) => Promise<void>): Promise<Journal> => {
  const file = openSync(path, "r+");
  try {
    const buffer = Buffer.alloc(headerBytes);
    const header = buffer.toString("latin1", 0, readSync(file, buffer, 0, headerBytes, 0));
    const counted = headerPattern.exec(header)?.[1];
    if (counted === undefined) throw new Error(`${path} does not start with the header of a journal`);
    const bytes = Number(counted);
    const hash = createHash("sha256");
    let found = 0;
    for await (const chunk of contentOf(path, bytes)) {
      hash.update(chunk);
      found += chunk.length;
    }
    if (found < bytes) throw new Error(`${path} has ${headerBytes + found} of ${headerBytes + bytes} bytes`);
    if (headerOf(bytes, digestOf(hash)) !== header)
      throw new Error(`the content of ${path} does not match its checksum`);
    for await (const line of linesOf(contentOf(path, bytes))) await apply(JSON.parse(line));
    return journalOf(file, { bytes, hash });
  } catch (error) {
    closeSync(file);
    throw error;
  }
};

/** Appends entries, many at a time, and returns how many there were. */
export const appendEntries = async (journal: Journal, entries: AsyncIterable<[string, unknown]>): Promise<number> => {
  let count = 0;
  const pending: Change[] = [];
  for await (const entry of entries) {
    count++;
    pending.push(entry);
    if (pending.length === entriesPerAppend) journal.append(pending.splice(0));
  }
  if (pending.length > 0) journal.append(pending);
  return count;
};

const journalOf = (file: number, start: { bytes: number; hash: Hash }): Journal => {
  let { bytes, hash } = start;
  let isSynced = false;
  let isClosed = false;
  const timer = setInterval(() => {
    if (isSynced) return;
    isSynced = true;
    fdatasync(file, (error) => {
      if (error && !isClosed) throw error;
    });
  }, syncMilliseconds).unref();

  return {
    append(changes) {
      const line = `${JSON.stringify(changes)}\n`;
      const next = hash.copy().update(line);
      const written = writeFully(file, line, headerBytes + bytes);
      // The header lies within one page of the file system, so that a kill leaves either the old or the new one.
      writeFully(file, headerOf(bytes + written, digestOf(next)), 0);
      bytes += written;
      hash = next;
      isSynced = false;
    },
    sync: () => fsyncSync(file),
    close() {
      clearInterval(timer);
      isClosed = true;
      fsyncSync(file);
      closeSync(file);
    },
  };
};

// A digest ends a hash, so it is taken from a copy.
const digestOf = (hash: Hash): string => hash.copy().digest("hex");

const writeFully = (file: number, text: string, position: number): number => {
  const buffer = Buffer.from(text);
  let written = 0;
  while (written < buffer.length) {
    written += writeSync(file, buffer, written, buffer.length - written, position + written);
  }
  return written;
};

async function* contentOf(path: string, bytes: number): AsyncGenerator<Buffer> {
  if (bytes > 0)
    yield* createReadStream(path, { start: headerBytes, end: headerBytes + bytes - 1, highWaterMark: 1 << 20 });
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const content = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = content.indexOf(lineEnd); end >= 0; end = content.indexOf(lineEnd, start)) {
      yield content.toString("utf8", start, end);
      start = end + 1;
    }
    rest = content.subarray(start);
  }
}
