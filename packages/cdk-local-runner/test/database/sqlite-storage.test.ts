import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryStorage, type Storage } from "../../src/database/engine/storage.ts";
import type { Item } from "../../src/database/engine/values.ts";
import { openSqliteStorage, type SqliteStorage } from "../../src/database/sqlite-storage.ts";
import { temporaryDirectory } from "../support/services.ts";

const rows = Array.from({ length: 200 }, (_, index): [place: string, item: Item] => [
  `Keys\0\0${String.fromCharCode((index * 79) % 256)}${index}`,
  { id: { S: `${index}` }, text: { S: "é".repeat(index) } },
]);

const rowsOf = ({ range }: Pick<Storage, "range">): Record<string, Item> => Object.fromEntries(range("\0", "\xff"));

const newFile = async (): Promise<string> => join(await temporaryDirectory(), "tables.sqlite");

const withStorage = <Result>(path: string, use: (storage: SqliteStorage) => Result): Result => {
  const storage = openSqliteStorage(path);
  try {
    return use(storage);
  } finally {
    storage.close();
  }
};

// A random double would be close to 0 most of the time.
const position = fc.nat(999_999).map((millionths) => millionths / 1_000_000);
const damage = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.oneof(fc.constant(0), position) }),
  fc.record({ kind: fc.constant("zero" as const), at: position, bytes: fc.constantFrom(16, 512, 4096) }),
);

const damagedBy = (what: typeof damage extends fc.Arbitrary<infer Value> ? Value : never, content: Buffer): Buffer => {
  const at = Math.floor(what.at * content.length);
  if (what.kind === "cut") return content.subarray(0, at);
  if (what.kind === "zero") return content.fill(0, at, Math.min(at + what.bytes, content.length));
  content.writeUInt8(content.readUInt8(at) ^ (1 << what.bit), at);
  return content;
};

test("either rejects a damaged file and names it, or opens it with all data intact", async () => {
  const path = await newFile();
  withStorage(path, ({ write }) => write(rows));
  const [content, before] = [await readFile(path), withStorage(path, rowsOf)];
  const outcomes = { refused: 0, same: 0 };
  await fc.assert(
    fc.asyncProperty(damage, async (what) => {
      await writeFile(path, damagedBy(what, Buffer.from(content)));
      try {
        expect(withStorage(path, rowsOf)).toEqual(before);
        outcomes.same += 1;
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining(path) });
        outcomes.refused += 1;
      }
    }),
    { numRuns: 100 },
  );
  expect(outcomes.refused).toBeGreaterThan(outcomes.same / 2);
});

const damaged = rows[70]?.[0] ?? "";
const inRow = `WHERE place = x'${Buffer.from(damaged, "latin1").toString("hex")}'`;

const wrongChecksum = /a row with a wrong checksum/;

test.for<[damage: string, sql: string, message: RegExp]>([
  ["changed", `UPDATE rows SET item = replace(item, '{"S"', '{"N"') ${inRow}`, wrongChecksum],
  ["made of another type", `UPDATE rows SET item = CAST(item AS BLOB) ${inRow}`, wrongChecksum],
  ["moved to another place", `UPDATE rows SET place = x'ff' ${inRow}`, wrongChecksum],
  ["removed with its table", "DROP TABLE rows", /no such table/],
])("detects on the next run that a row was %s between runs", async ([, sql, message]) => {
  const path = await newFile();
  withStorage(path, ({ write }) => write(rows));
  const sqlite = new DatabaseSync(path);
  sqlite.exec(sql);
  sqlite.close();

  expect(() => withStorage(path, rowsOf)).toThrow(message);
  expect(() => withStorage(path, rowsOf)).toThrow(path);
});

test("detects on the next run that a page has lost a row", async () => {
  const path = await newFile();
  withStorage(path, ({ write }) => write(rows));
  const content = await readFile(path);
  const leaf = 0x0a;
  const page = content.length - 4096;
  expect(content.readUInt8(page)).toBe(leaf);
  content.writeUInt16BE(content.readUInt16BE(page + 3) - 1, page + 3);
  await writeFile(path, content);

  expect(() => withStorage(path, rowsOf)).toThrow(`${path} is damaged`);
});

test("changes nothing if a write fails", async () => {
  const path = await newFile();
  withStorage(path, ({ write }) => write(rows));
  const before = withStorage(path, rowsOf);
  withStorage(path, ({ write, get }) => {
    function* failing(): Generator<[string, undefined]> {
      yield [damaged, undefined];
      throw new Error("a change fails");
    }
    expect(() => write(failing())).toThrow("a change fails");
    expect(get(damaged)).toBeDefined();
    write([["\0later", { id: { S: "later" } }]]);
  });

  expect(withStorage(path, rowsOf)).toEqual({ "\0later": { id: { S: "later" } }, ...before });
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
        const path = await newFile();
        const memory = createMemoryStorage();
        for (const changes of writes) memory.write(changes);
        const read = ({ range, get }: Storage) => [[...range(from, before, isBackwards)], get(from)];
        const inFile = withStorage(path, (storage) => {
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
  const { openSqliteStorage } = await import(process.argv[1]);
  const storage = openSqliteStorage(process.argv[2]);
  let last = Number(storage.get("last")?.number.N ?? 0);
  for (;;) {
    last += 1;
    storage.write([["last", { number: { N: String(last) } }], ["entry " + last, { text: { S: "x".repeat(last % 900) } }]]);
    writeSync(1, last + "\\n");
  }`;

test("keeps all acknowledged writes and releases the file if a process is killed while writing", async () => {
  const path = await newFile();
  const module = new URL("../../src/database/sqlite-storage.ts", import.meta.url).href;
  let acknowledged = 0;
  for (let run = 0; run < 8; run++) {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", endlessWriter, module, path]);
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
    const stored = withStorage(path, rowsOf);
    const last = Number(stored.last?.number?.N);
    // The last number may have been stored before the process could print it.
    expect([acknowledged, acknowledged + 1]).toContain(last);
    expect(Object.keys(stored)).toHaveLength(last + 1);
  }
});

test("is not opened by two processes at once", async () => {
  const path = await newFile();
  withStorage(path, () => expect(() => openSqliteStorage(path)).toThrow("database is locked"));
});

test("moves all writes from the log into the file when it syncs", async () => {
  const path = await newFile();
  const bytesInLog = async () => (await stat(`${path}-wal`)).size;
  const storage = openSqliteStorage(path);
  storage.write(rows);
  expect(await bytesInLog()).toBeGreaterThan(0);
  storage.sync();
  expect(await bytesInLog()).toBe(0);
  storage.close();
});
