import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openDataFolder } from "../../../src/database/storage/data-folder.ts";
import { openJournal } from "../../../src/database/storage/journal.ts";
import { openLoginFile } from "../../../src/login/login-file.ts";
import { temporaryDirectory } from "../../support/folders.ts";
import { entriesOf } from "../../support/journal-entries.ts";

/*
 * How many folders are damaged at random. For thousands:
 * DAMAGED_FOLDERS=5000 npx vitest run packages/local-runner/test/database/storage/data-folder.test.ts
 */
const damagedFolders = Number(process.env.DAMAGED_FOLDERS ?? 100);

const entries = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [
    `item-Keys~${index * 7919}`,
    { id: { S: `${index}` }, text: { S: "v".repeat(64) } },
  ]),
);

/** Opens a folder as a start does, and returns what is in it. */
const open = async (folder: string) => {
  const { journalPath, unlock } = await openDataFolder(folder);
  try {
    return { entries: await entriesOf(journalPath), login: await openLoginFile(folder, ["alice", "bob"]) };
  } finally {
    await unlock();
  }
};

const newDataFolder = async () => {
  const folder = await temporaryDirectory();
  const { journalPath, unlock } = await openDataFolder(folder);
  const journal = await openJournal(journalPath, async () => {});
  for (const entry of Object.entries(entries)) journal.append([entry]);
  journal.close();
  await unlock();
  return { folder, content: await open(folder) };
};

/** A folder as version 1.0 leaves it when it is killed. */
const writeFormerFolder = async () => {
  const folder = await temporaryDirectory();
  const level = new ClassicLevel<string, unknown>(join(folder, "open"), { valueEncoding: "json" });
  for (const [key, value] of Object.entries(entries)) await level.put(key, value);
  await mkdir(join(folder, "data"));
  await cp(join(folder, "open"), join(folder, "data/dynamodb"), { recursive: true });
  await level.close();
  return join(folder, "data");
};

const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const damage = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("cut" as const), at: position }),
  fc.record({ kind: fc.constant("zero" as const), at: position, bytes: fc.constantFrom(1, 16, 512, 4096) }),
  fc.record({ kind: fc.constant("repeat" as const), at: position, bytes: fc.constantFrom(1, 64, 512) }),
  fc.record({ kind: fc.constant("delete" as const) }),
  fc.record({ kind: fc.constant("swap" as const), at: position }),
);

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never;

/** Damages one file. A deleted login file is no damage: the next start makes new logins, as its messages say. */
const inflict = async (folder: string, file: string, files: string[], what: Damage): Promise<void> => {
  const path = join(folder, file);
  if (what.kind === "delete") return file === "/login.json" ? undefined : rm(path);
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

test(
  "a folder with any damage is refused with the name of the file, or opens with exactly its data",
  async () => {
    const { folder, content } = await newDataFolder();
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = all
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
    const copy = join(await temporaryDirectory(), "copy");
    const outcomes = { refused: 0, same: 0 };
    // The journal and the login file, which have data, are damaged more often.
    const file = fc.constantFrom(
      "/database/journal",
      "/database/journal",
      "/database/journal",
      "/login.json",
      ...files,
    );
    await fc.assert(
      fc.asyncProperty(file, damage, async (damagedFile, what) => {
        await rm(copy, { recursive: true, force: true });
        await cp(folder, copy, { recursive: true });
        await inflict(copy, damagedFile, files, what);
        const opened = await open(copy).catch(String);
        if (typeof opened === "string") {
          expect(opened).toMatch(/database\/journal|login\.json/);
          outcomes.refused++;
        } else {
          expect(opened).toEqual(content);
          outcomes.same++;
        }
      }),
      { numRuns: damagedFolders },
    );
    if (process.env.DAMAGED_FOLDERS) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
    expect(outcomes.refused).toBeGreaterThan(outcomes.same / 2);
  },
  60_000 + damagedFolders * 100,
);

test("a folder of version 1.0 opens with its data, and keeps the former files", async () => {
  const folder = await writeFormerFolder();

  expect((await open(folder)).entries).toEqual(entries);
  expect((await open(folder)).entries).toEqual(entries);
  expect((await readdir(folder)).toSorted()).toEqual(["database", "dynamodb.imported", "lock", "login.json"]);
  expect((await stat(join(folder, "dynamodb.imported"))).mode & 0o777).toBe(0o700);
});

test("a folder of version 1.0 that was killed while it wrote opens with the entries before", async () => {
  const folder = await writeFormerFolder();
  const [log = ""] = (await readdir(join(folder, "dynamodb"))).filter((name) => name.endsWith(".log"));
  const path = join(folder, "dynamodb", log);
  await truncate(path, (await stat(path)).size - 5);

  const [last = ""] = Object.keys(entries).slice(-1);
  const { [last]: _, ...before } = entries;
  expect((await open(folder)).entries).toEqual(before);
});

test("a damaged folder of version 1.0 is refused and left as it is", async () => {
  const folder = await writeFormerFolder();
  const [log = ""] = (await readdir(join(folder, "dynamodb"))).filter((name) => name.endsWith(".log"));
  const path = join(folder, "dynamodb", log);
  const content = await readFile(path);
  content.writeUInt8(content.readUInt8(100) ^ 4, 100);
  await writeFile(path, content);

  await expect(open(folder)).rejects.toThrow(/^LevelDB reports in \S+\/dynamodb\/LOG: .*orruption/);
  expect(await readdir(folder)).not.toContain("database");
});

test("data that version 1.0 has stored beside newer data is not ignored", async () => {
  const folder = await writeFormerFolder();
  await open(folder);
  await rename(join(folder, "dynamodb.imported"), join(folder, "dynamodb"));

  await expect(open(folder)).rejects.toThrow(
    /database and \S+dynamodb, where earlier versions keep it, both have data$/,
  );
});

test("an import that was interrupted starts again", async () => {
  const folder = await writeFormerFolder();
  await mkdir(join(folder, "database.new"));
  await writeFile(join(folder, "database.new/journal"), "part");

  expect((await open(folder)).entries).toEqual(entries);
});
