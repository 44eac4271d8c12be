import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryStorage, type Storage } from "../../src/database/engine/storage.ts";
import type { Item } from "../../src/database/engine/values.ts";
import { openDataFolder } from "../../src/database/folder/data-folder.ts";
import type { SqliteStorage } from "../../src/database/folder/sqlite-storage.ts";
import { temporaryDirectory } from "../support/services.ts";

/** The number of randomly damaged folders. */
const damagedFolders = 100;

const rows = Array.from({ length: 200 }, (_, index): [place: string, item: Item] => [
  `Keys\0\0${String.fromCharCode((index * 79) % 256)}${index}`,
  { id: { S: `${index}` }, text: { S: "é".repeat(index) } },
]);

const rowsOf = ({ range }: Pick<Storage, "range">): Record<string, Item> => Object.fromEntries(range("\0", "\xff"));

/** Opens a folder like a start, and returns all rows in it. */
const open = async (folder: string) => {
  const { storage, close } = await openDataFolder(folder);
  try {
    return rowsOf(storage);
  } finally {
    close();
  }
};

/** Writes a folder and closes it. Also returns a copy from before closing, with the last writes in SQLite's log. */
const writeFolders = async () => {
  const [closed, killed] = [await temporaryDirectory(), await temporaryDirectory()];
  const { storage, close } = await openDataFolder(closed);
  for (const row of rows) storage.write([row]);
  await cp(closed, killed, { recursive: true });
  close();
  return { closed, killed };
};

// A random double would be close to 0 most of the time.
const position = fc.nat(999_999).map((millionths) => millionths / 1_000_000);
const damage = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("cut" as const), at: position }),
  fc.record({ kind: fc.constant("zero" as const), at: position, bytes: fc.constantFrom(1, 16, 512, 4096) }),
  fc.record({ kind: fc.constant("repeat" as const), at: position, bytes: fc.constantFrom(1, 64, 512) }),
  fc.record({ kind: fc.constant("delete" as const) }),
  fc.record({ kind: fc.constant("swap" as const), at: position }),
);

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never;

/** Damages one file. */
const inflict = async (folder: string, file: string, files: string[], what: Damage): Promise<void> => {
  const path = join(folder, file);
  if (what.kind === "delete") return rm(path);
  const content = await readFile(path);
  const at = "at" in what ? Math.floor(what.at * content.length) : 0;
  switch (what.kind) {
    case "flip":
      if (content.length > 0) content.writeUInt8(content.readUInt8(at) ^ (1 << what.bit), at);
      return writeFile(path, content);
    case "cut":
      return truncate(path, at);
    case "zero":
      return writeFile(path, content.fill(0, at, Math.min(at + what.bytes, content.length)));
    case "repeat":
      return writeFile(path, Buffer.concat([content.subarray(0, at + what.bytes), content.subarray(at)]));
    case "swap": {
      const other = join(folder, files[Math.floor(what.at * files.length)] ?? file);
      await rename(path, `${path}.swap`);
      if (other !== path) await rename(other, path);
      return rename(`${path}.swap`, other);
    }
  }
};

test("either rejects a damaged folder and names the file, or opens it with all data intact", async () => {
  const folders = await writeFolders();
  const content = await open(folders.closed);
  const copy = join(await temporaryDirectory(), "copy");
  const outcomes = { refused: 0, same: 0 };
  // Files with data are damaged more often.
  const data = ["/tables/tables.sqlite", "/tables/tables.sqlite-wal", "/tables/tables.sqlite-head"];
  const file = fc.constantFrom(...data, ...data, "/lock.sqlite");
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("closed", "killed"), file, damage, async (kind, name, what) => {
      await rm(copy, { recursive: true, force: true });
      await cp(folders[kind], copy, { recursive: true });
      const files = [...data, "/lock.sqlite"].filter((one) => existsSync(join(copy, one)));
      await inflict(copy, files.includes(name) ? name : "/tables/tables.sqlite", files, what);
      const opened = await open(copy).catch(String);
      if (typeof opened === "string") {
        expect(opened).toMatch(/tables\/tables\.sqlite/);
        outcomes.refused++;
      } else {
        expect(opened).toEqual(content);
        outcomes.same++;
      }
    }),
    { numRuns: damagedFolders },
  );
  expect(outcomes.refused).toBeGreaterThan(outcomes.same / 2);
}, 60_000);

const damaged = rows[70]?.[0] ?? "";
const inRow = `WHERE place = x'${Buffer.from(damaged, "latin1").toString("hex")}'`;

const edit = (folder: string, sql: string): void => {
  const sqlite = new DatabaseSync(join(folder, "tables/tables.sqlite"));
  sqlite.exec(sql);
  sqlite.close();
};

const withStorage = async <Result>(folder: string, use: (storage: SqliteStorage) => Result): Promise<Result> => {
  const { storage, close } = await openDataFolder(folder);
  try {
    return use(storage);
  } finally {
    close();
  }
};

const wrongChecksum = /a row with a wrong checksum/;
const older = `UPDATE rows SET (item, checksum) = (SELECT item, checksum FROM older) ${inRow}`;

test.for<[damage: string, sql: string, message: RegExp]>([
  ["changed", `UPDATE rows SET item = replace(item, '{"S"', '{"N"') ${inRow}`, wrongChecksum],
  ["made of another type", `UPDATE rows SET item = CAST(item AS BLOB) ${inRow}`, wrongChecksum],
  ["moved to another place", `UPDATE rows SET place = x'ff' ${inRow}`, wrongChecksum],
  ["removed", `DELETE FROM rows ${inRow}`, /has lost rows, or has older ones/],
  ["replaced by an older one", older, /has lost rows, or has older ones/],
  ["removed with all that was written since", "UPDATE state SET writes = 1", /is not complete: write 1 is the last/],
  ["followed by writes that the head lacks", "UPDATE state SET writes = 4", /is not complete: write 4 is the last/],
  ["added to a wrong sum", `UPDATE state SET sum = '${"0".repeat(32)}'`, /is not complete/],
])("detects on the next run that a row was %s between runs", async ([, sql, message]) => {
  const folder = await temporaryDirectory();
  await withStorage(folder, ({ write }) => write(rows));
  edit(folder, `CREATE TABLE older AS SELECT item, checksum FROM rows ${inRow}`);
  await withStorage(folder, ({ write }) => write([[damaged, { id: { S: "newer" }, other: { S: "a" } }]]));
  edit(folder, sql);

  await expect(open(folder)).rejects.toThrow(message);
  await expect(open(folder)).rejects.toThrow(join(folder, "tables/tables.sqlite"));
});

test("changes nothing if a write fails", async () => {
  const folder = await temporaryDirectory();
  await withStorage(folder, ({ write }) => write(rows));
  const before = await open(folder);
  await withStorage(folder, ({ write, get }) => {
    function* failing(): Generator<[string, undefined]> {
      yield [damaged, undefined];
      throw new Error("a change fails");
    }
    expect(() => write(failing())).toThrow("a change fails");
    expect(get(damaged)).toBeDefined();
    write([["\0later", { id: { S: "later" } }]]);
  });

  expect(await open(folder)).toEqual({ "\0later": { id: { S: "later" } }, ...before });
});

test("returns the same rows in the same order from memory and file storage after any changes", async () => {
  const place = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
    maxLength: 3,
  });
  const change = fc.tuple(place, fc.option(fc.record({ id: fc.record({ S: fc.string() }) }), { nil: undefined }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change)),
      place,
      place,
      fc.boolean(),
      async (writes, from, before, isBackwards) => {
        const folder = await temporaryDirectory();
        const memory = createMemoryStorage();
        for (const changes of writes) memory.write(changes);
        const read = ({ range, get }: Storage) => [[...range(from, before, isBackwards)], get(from)];
        const inFile = await withStorage(folder, (storage) => {
          for (const changes of writes) storage.write(changes);
          return read(storage);
        });
        expect(inFile).toEqual(read(memory));
        expect(read(memory.copy())).toEqual(read(memory));
      },
    ),
    { numRuns: 30 },
  );
});

// Stores numbers, and prints each number only after it is stored.
const endlessWriter = `
  const { writeSync } = await import("node:fs");
  const { openDataFolder } = await import(process.argv[1]);
  const { storage } = await openDataFolder(process.argv[2]);
  let last = Number(storage.get("last")?.number.N ?? 0);
  for (;;) {
    last += 1;
    storage.write([["last", { number: { N: String(last) } }], ["entry " + last, { text: { S: "x".repeat(last % 900) } }]]);
    writeSync(1, last + "\\n");
  }`;

test("keeps all acknowledged writes and releases the folder if a process is killed while writing", async () => {
  const folder = await temporaryDirectory();
  const module = new URL("../../src/database/folder/data-folder.ts", import.meta.url).href;
  let acknowledged = 0;
  for (let run = 0; run < 8; run++) {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", endlessWriter, module, folder]);
    const target = acknowledged + 1 + run * 150;
    let output = "";
    const lastIn = () => Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (lastIn() >= target) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    acknowledged = lastIn();

    expect(acknowledged).toBeGreaterThanOrEqual(target);
    const stored = await open(folder);
    const last = Number(stored.last?.number?.N);
    // The last number may have been stored before the process could print it.
    expect([acknowledged, acknowledged + 1]).toContain(last);
    expect(Object.keys(stored)).toHaveLength(last + 1);
  }
});

test("completes a first start that was killed on the next start", async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, "tables.new"));
  await writeFile(join(folder, "tables.new/tables.sqlite"), "part");

  expect(await open(folder)).toEqual({});
  expect((await readdir(folder)).toSorted()).toEqual(["lock.sqlite", "tables"]);
});
