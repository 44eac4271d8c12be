import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivate } from "../../support/private-files.ts";
import * as z from "../../support/zod.ts";
import { changesOf } from "../engine/items.ts";
import { placeOfTable } from "../engine/keys.ts";
import type { Change } from "../engine/storage.ts";
import { itemOfTable, type Table, tableOf, tableSchema } from "../engine/tables.ts";
import { readItem } from "../engine/values.ts";
import { DamagedData } from "./damaged-data.ts";

/*
 * Both earlier versions stored the same entries: `table~TABLE` for its description, `item-TABLE~KEY` for an item, and entries of
 * indexes, which are made again. Version 1.0 had them in a LevelDB, and version 1.1 in a journal of changes.
 */

type Entries = Map<string, unknown>;

/** Where versions before this one kept their data in a data folder, and how it is read. */
const formerFolders: [folder: string, read: (path: string) => Promise<Entries>][] = [
  ["database", (path) => readJournal(join(path, "journal"))],
  ["dynamodb", (path) => readLevel(path)],
];

export const formerFolderIn = (dataDirectory: string): string | undefined => {
  const found = formerFolders.map(([folder]) => join(dataDirectory, folder)).filter(existsSync);
  if (found.length > 1) throw new Error(`${found.join(" and ")}, where earlier versions keep it, both have data`);
  return found[0];
};

/** The rows of the data that an earlier version has stored. */
export const readFormerData = async (folder: string): Promise<Change[]> => {
  const read = formerFolders.find(([name]) => folder.endsWith(name))?.[1];
  const entries = (await read?.(folder)) ?? new Map();
  const tables = new Map<string, Table>();
  const changes: Change[] = [];
  for (const [key, value] of entries) {
    if (!key.startsWith("table~")) continue;
    const { CreationDateTime, TableId, ...definition } = formerTable.parse(value);
    const table = tableOf(tableSchema.parse(definition), { id: TableId, time: CreationDateTime * 1000 });
    tables.set(table.name, table);
    changes.push([placeOfTable(table.name), itemOfTable(table)]);
  }
  for (const [key, value] of entries) {
    const table = tables.get(/^item-([^~]+)~/.exec(key)?.[1] ?? "");
    if (table) changes.push(...changesOf(table, undefined, readItem(value)));
  }
  return changes;
};

const formerIndexes = z.optional(
  z.array(z.object({ IndexName: z.string(), KeySchema: z.unknown(), Projection: z.unknown() })),
);

// Leaves out everything that does not define the table.
const formerTable = z.object({
  TableName: z.string(),
  AttributeDefinitions: z.unknown(),
  KeySchema: z.unknown(),
  CreationDateTime: z.number(),
  TableId: z.string(),
  GlobalSecondaryIndexes: formerIndexes,
  LocalSecondaryIndexes: formerIndexes,
});

/** LevelDB leaves out what it cannot read, and says so in its log only. */
const readLevel = async (path: string): Promise<Entries> => {
  const { ClassicLevel } = await import("classic-level");
  await makePrivate(path);
  const level = new ClassicLevel<string, unknown>(path, { valueEncoding: "json", createIfMissing: false });
  await level.open();
  try {
    const entries = new Map(await level.iterator().all());
    const damage = /^.*(corruption|dropping|ignoring).*$/im.exec(await readFile(join(path, "LOG"), "utf8"));
    if (damage) throw new Error(`LevelDB reports in ${join(path, "LOG")}: ${damage[0]}`);
    return entries;
  } finally {
    await level.close();
  }
};

const headerPattern = /^journal 1 (\d{16}) ([0-9a-f]{64})\n$/;
const headerBytes = 92;
const lineEnd = 0x0a;

/**
 * A journal has a header with the number of bytes that count and their SHA-256, and then a line for each write: a list of
 * entries, each with its value, or without one if it was removed.
 */
const readJournal = async (path: string): Promise<Entries> => {
  const file = await readFile(path);
  const [, bytes, sha256] = headerPattern.exec(file.toString("latin1", 0, headerBytes)) ?? [];
  const content = file.subarray(headerBytes, headerBytes + Number(bytes));
  if (content.length !== Number(bytes) || hash("sha256", content) !== sha256) {
    throw new DamagedData(path, "does not have its checksum");
  }
  const entries: Entries = new Map();
  let start = 0;
  for (let end = content.indexOf(lineEnd); end >= 0; end = content.indexOf(lineEnd, start)) {
    const changes: [key: string, ...values: unknown[]][] = JSON.parse(content.toString("utf8", start, end));
    for (const [key, ...values] of changes) {
      if (values.length === 0) entries.delete(key);
      else entries.set(key, values[0]);
    }
    start = end + 1;
  }
  return entries;
};
