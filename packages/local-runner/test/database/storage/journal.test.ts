import { spawn } from "node:child_process";
import { appendFile, copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createJournal, openJournal } from "../../../src/database/storage/journal.ts";
import { temporaryDirectory } from "../../support/folders.ts";
import { entriesOf } from "../../support/journal-entries.ts";

const newPath = async () => join(await temporaryDirectory(), "journal");

/** A journal with changes of every kind, and the entries that they lead to. */
const writeExample = async () => {
  const path = await newPath();
  const journal = createJournal(path);
  journal.append([["a", { text: "first" }]]);
  journal.append([
    ["b", 2],
    ["c", "é\u2028\n𝄞"],
    ["d", null],
  ]);
  journal.append([["a", { text: "second" }], ["b"]]);
  journal.close();
  return { path, entries: { a: { text: "second" }, c: "é\u2028\n𝄞", d: null } };
};

test("a journal keeps what was stored, replaced and removed, and can be continued", async () => {
  const { path, entries } = await writeExample();
  expect(await entriesOf(path)).toEqual(entries);

  const journal = await openJournal(path, async () => {});
  journal.append([["d"], ["e", 5]]);
  journal.close();
  expect(await entriesOf(path)).toEqual({ a: entries.a, c: entries.c, e: 5 });
});

test("each flipped bit is noticed", async () => {
  const { path } = await writeExample();
  const content = await readFile(path);
  for (let bit = 0; bit < content.length * 8; bit++) {
    const damaged = Buffer.from(content);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    await writeFile(path, damaged);
    await expect(entriesOf(path), `bit ${bit}`).rejects.toThrow(path);
  }
});

test("each missing end is noticed", async () => {
  const { path } = await writeExample();
  const content = await readFile(path);
  for (let bytes = 0; bytes < content.length; bytes++) {
    await writeFile(path, content.subarray(0, bytes));
    await expect(entriesOf(path), `${bytes} bytes`).rejects.toThrow(path);
  }
});

test("an append that the process did not complete does not count, and the next one replaces it", async () => {
  const { path, entries } = await writeExample();
  const before = await readFile(path);
  const journal = await openJournal(path, async () => {});
  journal.append([["never acknowledged", "x".repeat(1000)]]);
  journal.close();
  const line = (await readFile(path)).subarray(before.length);

  for (let bytes = 0; bytes <= line.length; bytes += 17) {
    const copy = await newPath();
    await writeFile(copy, before);
    await appendFile(copy, line.subarray(0, bytes));
    expect(await entriesOf(copy)).toEqual(entries);
    const continued = await openJournal(copy, async () => {});
    continued.append([["f", 6]]);
    continued.close();
    expect(await entriesOf(copy)).toEqual({ ...entries, f: 6 });
  }
});

test("lines that span the blocks of a large file are read whole", async () => {
  const path = await newPath();
  const journal = createJournal(path);
  const entries = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}`, "é".repeat(index * 90_000)]));
  for (const entry of Object.entries(entries)) journal.append([entry]);
  journal.close();

  expect(await entriesOf(path)).toEqual(entries);
});

// Appends numbers, and says each one only once it is stored.
const endlessWriter = `
  const { writeSync } = await import("node:fs");
  const { openJournal } = await import(process.argv[1]);
  let last = 0;
  const journal = await openJournal(process.argv[2], async ([[, value]]) => { last = value; });
  for (;;) {
    journal.append([["last", ++last]]);
    writeSync(1, last + "\\n");
  }`;

test("a process that is killed while it writes loses nothing that it acknowledged", async () => {
  const path = await newPath();
  createJournal(path).close();
  let acknowledged = 0;
  for (let run = 0; run < 8; run++) {
    const module = new URL("../../../src/database/storage/journal.ts", import.meta.url).href;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", endlessWriter, module, path]);
    const target = acknowledged + 1 + run * 150;
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1)) >= target) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    acknowledged = Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1));

    expect(acknowledged).toBeGreaterThanOrEqual(target);
    // The last number may have been stored before the process could say so.
    expect([acknowledged, acknowledged + 1]).toContain((await entriesOf(path)).last);
  }
});

test("a copy of the file is a copy of the data", async () => {
  const [{ path, entries }, copy] = [await writeExample(), await newPath()];
  await copyFile(path, copy);
  expect(await entriesOf(copy)).toEqual(entries);
});
