import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import memoryLevel from "memory-level";
import { syncFolder } from "../../support/private-files.ts";
import { completeTables } from "./created-tables.ts";
import { appendEntries, type Change, createJournal, type Journal, openJournal } from "./journal.ts";
import { reconcileIndexes } from "./secondary-indexes.ts";
import { indexPrefix, type Operation, tableKey } from "./stored-entries.ts";

// A journal is rewritten once its changes exceed twice its entries by this many.
const spareChanges = 10_000;

/** Access to what dynalite stores, for what dynalite itself cannot do. */
export interface Storage {
  /** Reads the journal into the database. */
  load: () => Promise<void>;
  /** Replaces the description of a table, at first in memory only, then for good once `change` has succeeded. */
  redefineTable: (description: { TableName: string }, change: () => Promise<void>) => Promise<void>;
}

/**
 * Makes dynalite keep its data in memory and in a journal. Call this before dynalite is loaded, and `load` once it has made
 * its database.
 */
export const journalDynalite = (path: string): Storage => {
  const missing = async (): Promise<never> => {
    throw new Error("dynalite did not make its database with the installed memory-level");
  };
  let storage: Storage = { load: missing, redefineTable: missing };
  class JournaledLevel extends memoryLevel.MemoryLevel<string, unknown> {
    constructor(...words: ConstructorParameters<typeof memoryLevel.MemoryLevel<string, unknown>>) {
      super(...words);
      storage = keepInJournal(this, path);
    }
  }
  Object.assign(memoryLevel, { MemoryLevel: JournaledLevel });
  return { load: () => storage.load(), redefineTable: (...words) => storage.redefineTable(...words) };
};

/** Once the journal is loaded, each change of the database goes through it. */
const keepInJournal = (database: memoryLevel.MemoryLevel<string, unknown>, path: string): Storage => {
  const store = database.batch.bind(database);
  const closeDatabase = database.close.bind(database);
  const keysOf = database.keys.bind(database);
  const valuesOf = database.values.bind(database);
  let journal: Journal | undefined;
  let changes = 0;
  let entries = 0;
  let rewriting: Promise<void> | undefined;

  const write = async (operations: Operation[]): Promise<void> => {
    while (rewriting) await rewriting;
    if (journal === undefined) throw new Error("the journal is not open");
    // dynalite changes an item and its entries in indexes one by one, entries first. A start removes the entries that do not
    // match the items, but cannot restore missing ones. So the journal leaves out the removal of entries.
    const journaled = operations.filter(({ type, key }) => type === "put" || !key.startsWith(indexPrefix));
    if (journaled.length > 0) journal.append(journaled.map(changeOf));
    // Starts in the same turn, so that the database applies changes in the order of the journal.
    const stored = store(operations);
    changes += journaled.length;
    await stored;
    if (changes > 2 * entries + spareChanges) rewriting ??= rewrite();
  };

  const rewrite = async (): Promise<void> => {
    const draft = `${path}.new`;
    try {
      const next = await writeDraft(draft);
      renameSync(draft, path);
      const before = journal;
      journal = next;
      before?.close();
      syncFolder(dirname(path));
    } catch {
      // The disk may be full, for example. The old journal stays in use, and the next attempt follows after as many changes.
      rmSync(draft, { force: true, recursive: true });
    } finally {
      changes = entries;
      rewriting = undefined;
    }
  };

  const writeDraft = async (draft: string): Promise<Journal> => {
    rmSync(draft, { force: true, recursive: true });
    const next = createJournal(draft);
    try {
      entries = await appendEntries(next, database.iterator());
      next.sync();
      return next;
    } catch (error) {
      next.close();
      throw error;
    }
  };

  Object.assign(database, {
    batch: write,
    put: (key: string, value: unknown) => write([{ type: "put", key, value }]),
    del: (key: string) => write([{ type: "del", key }]),
    keys: (options: object) => withReturn(keysOf(options)),
    values: (options: object) => withReturn(valuesOf(options)),
    async close() {
      await rewriting;
      await closeDatabase();
      journal?.close();
      journal = undefined;
    },
  });

  return {
    async load() {
      // Left by a run that was killed while it rewrote the journal.
      rmSync(`${path}.new`, { force: true });
      journal = await openJournal(path, async (read) => {
        changes += read.length;
        await store(read.map(operationOf));
      });
      for (const repair of [completeTables, reconcileIndexes]) await store(await repair(database));
      for await (const _ of keysOf()) entries++;
    },
    async redefineTable(description, change) {
      const key = tableKey(description.TableName);
      const before = await database.get(key);
      await store([{ type: "put", key, value: description }]);
      try {
        await change();
        await write([{ type: "put", key, value: description }]);
      } catch (error) {
        await store([{ type: "put", key, value: before }]);
        throw error;
      }
    },
  };
};

const changeOf = (operation: Operation): Change =>
  operation.type === "put" ? [operation.key, operation.value] : [operation.key];

const operationOf = ([key, ...values]: Change): Operation =>
  values.length === 0 ? { type: "del", key } : { type: "put", key, value: values[0] };

// dynalite 4 ends an iterator by `return`, which the iterators of this version lack: each query would leave one open forever.
const withReturn = <Iterator extends { close: () => Promise<void> }>(iterator: Iterator): Iterator =>
  Object.assign(iterator, { return: () => iterator.close() });
