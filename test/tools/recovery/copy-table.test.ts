import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import { type CopyMode, copyTable } from "../../../tools/recovery/copy.ts";
import { createTable } from "../../kit/support/create-table.ts";
import { type MemoryDatabase, startMemoryDatabase } from "../../kit/support/memory-database.ts";
import { noteRequests } from "../../lambdas/support/client-requests.ts";
import { compileCache } from "../../support/compile-cache.ts";

const [source, target] = ["source", "target"];

let database: MemoryDatabase;
let folder: string;
let file: string;
beforeEach(async () => {
  database = await startMemoryDatabase();
  folder = await mkdtemp(join(tmpdir(), "integration-api-recovery-"));
  file = join(folder, `copy-${source}-to-${target}.checkpoint.json`);
  for (const name of [source, target]) await createTable(database.client, name, { partitionKey: "key_id" });
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

/** Copies, and returns the command's output. */
const copy = async (mode: CopyMode = "into empty", { having = [] as string[], from = source, to = target } = {}) => {
  const sentences: string[] = [];
  const tell = (sentence: string) => void sentences.push(sentence);
  await copyTable({ client: database.client, from, to, mode, having, file, tell });
  return sentences.join("\n");
};

/** Starts the command in a separate process. */
const start = (...words: string[]) => {
  const command = fileURLToPath(new URL("../../../tools/recovery/copy-table.ts", import.meta.url));
  const { endpoint, region } = database.access;
  const env = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: region, ...compileCache };
  const keys = { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "operator" };
  return spawn(process.execPath, [command, ...words], { cwd: folder, env: { ...env, ...keys } });
};

const key = (id: string, fields = {}): Item => ({ key_id: { S: id }, ...fields });

const put = async (name: string, ...items: Item[]) => {
  for (const Item of items) await database.operations.putItem({ TableName: name, Item });
};

/** Adds this many items with the keys `key-0`, `key-1`, … */
const fill = async (name: string, count: number) => {
  for (let first = 0; first < count; first += 25) {
    const puts = Array.from({ length: Math.min(25, count - first) }, (_, index) => ({
      PutRequest: { Item: key(`key-${first + index}`) },
    }));
    await database.operations.batchWriteItem({ RequestItems: { [name]: puts } });
  }
};

/** Returns all items, ordered by key. */
const items = async (name: string) => {
  const { Items = [] } = await database.operations.scan({ TableName: name });
  return Items.toSorted((a, b) => JSON.stringify(a.key_id).localeCompare(JSON.stringify(b.key_id)));
};

/** Calls a function before each request of an operation. If the function returns an output, the request is not sent. */
const before = (operation: string, call: (input: object) => object | undefined | Promise<object | undefined>): void =>
  database.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const output = commandName === `${operation}Command` ? await call(args.input) : undefined;
        return output ? { output: { $metadata: {}, ...output }, response: undefined } : next(args);
      },
    { step: "initialize", name: "before", override: true },
  );

describe("a copy into an empty table", () => {
  test("contains every item unchanged, whatever its attributes, and leaves no file behind", async () => {
    const all = [
      key("all types", {
        n: { N: "12345678901234567890.12345" },
        b: { B: "AP8K" },
        ss: { SS: ["a", "b"] },
        m: { M: { deep: { L: [{ BOOL: true }, { NULL: true }, { S: "" }] } } },
      }),
      key("ключ 🔑"),
    ];
    await put(source, ...all);
    const child = start("--from", source, "--to", target);
    const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);

    expect([messages, child.exitCode]).toEqual(["", 0]);
    expect(output).toContain("Complete: copied 2 items");
    expect(await items(target)).toEqual(all);
    expect(await readdir(folder)).toEqual([]);
  });

  test("includes all pages of all segments, and retries items that DynamoDB left unprocessed", async () => {
    await fill(source, 10_000);
    let writes = 0;
    before("BatchWriteItem", (input) => {
      writes += 1;
      return writes % 100 === 1 && "RequestItems" in input ? { UnprocessedItems: input.RequestItems } : undefined;
    });

    const requests = noteRequests(database.client);
    expect(await copy()).toContain("copied 10,000 items");
    const scans = requests.filter(({ operation }) => operation === "Scan");
    for (const { input } of scans) expect(input).toHaveProperty("ConsistentRead", true);
    expect(writes).toBeGreaterThan(400);
    expect(await items(target)).toEqual(await items(source));
  });
});

describe("a copy into a table that has items", () => {
  const both = (v: string) => key("both", { v: { S: v } });
  beforeEach(async () => {
    await put(source, both("source"), key("source only"));
    await put(target, both("target"), key("target only"));
  });

  test("is rejected unless an option says how to treat existing items", async () => {
    await expect(copy()).rejects.toThrow(
      /^target is not empty: add --only-missing to keep .*, or --overwrite to replace/,
    );
    expect(await items(target)).toHaveLength(2);
  });

  test.each([
    ["keeps them", "only missing", "copied 1 items and kept 1", both("target")],
    ["replaces those with the same key, and keeps the others", "overwrite", "copied 2 items", both("source")],
  ] as const)("%s on request", async (_, mode, sentence, left) => {
    expect(await copy(mode)).toContain(sentence);
    expect(await items(target)).toEqual([left, key("source only"), key("target only")]);
  });

  test("copies only items that have one of the given attributes", async () => {
    await put(source, key("revoked", { revoked_at: { S: "x" } }), key("rotated", { rotated_at: { S: "x" } }));
    await copy("overwrite", { having: ["revoked_at", "rotated_at"] });

    const ids = (await items(target)).map(({ key_id }) => key_id?.S);
    expect(ids).toEqual(["both", "revoked", "rotated", "target only"]);
  });
});

test("the tombstones of an application's table are not copied", async () => {
  const key = { partitionKey: "shipment_id", sortKey: "line" };
  for (const name of ["before", "after"]) await createTable(database.client, name, key);
  const shipment = { shipment_id: { S: "1" }, line: { S: "1" }, updated_at: { S: "2026-11-21T10:15:30.123Z" } };
  await put("before", shipment, { ...shipment, line: { S: "2" }, deletion_id: { S: "d" } });
  expect(await copy("into empty", { from: "before", to: "after" })).toContain("Complete: copied 1 items");
});

describe("the tombstone of a deleted key", () => {
  const deletedAt = "2027-01-31T12:00:00.999Z";
  const deletion = (deletion_id = "d") =>
    key("deleted", { updated_at: { S: deletedAt }, deletion_id: { S: deletion_id }, delete_at: { N: "1801396800" } });
  const live = (time: string) => key("deleted", { v_code: { S: "v" }, updated_at: { S: time } });
  const earlier = live("2027-01-31T11:00:00.000Z");
  const later = live("2027-01-31T13:00:00.000Z");
  const restored = live("2027-01-31T14:00:00.000Z");
  /** An item's time only moves forward, so that a late deletion has no effect, even if the clock is slow. */
  const justAfter = live("2027-01-31T12:00:01.000Z");
  const now = new Date("2027-01-31T14:00:00.000Z");
  const slow = new Date("2027-01-31T11:59:00.000Z");

  beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["not copied", "overwrite", deletion(), later, later, now],
    ["replaced by the key", "overwrite", later, deletion(), later, now],
    ["replaced by the key with the present time", "only missing", earlier, deletion(), restored, now],
    ["replaced by the key with a later time", "only missing", earlier, deletion(), justAfter, slow],
  ] as const)("is %s: %s", async (_, mode, from, to, left, at) => {
    vi.setSystemTime(at);
    await put(source, from);
    await put(target, to);
    await copy(mode);

    expect(await items(target)).toEqual([left]);
  });

  test.each([
    ["not replaced if a key is created", later, "copied 0 items and kept 1", later],
    ["replaced if a key is created and deleted again", deletion("again"), "copied 1 items", restored],
  ])("is %s meanwhile", async (_, meanwhile, sentence, left) => {
    await put(source, earlier);
    await put(target, deletion());
    let puts = 0;
    before("PutItem", async () => {
      puts += 1;
      if (puts === 2) await put(target, meanwhile);
      return undefined;
    });

    expect(await copy("only missing")).toContain(sentence);
    expect(await items(target)).toEqual([left]);
  });
});

describe("an interrupted copy", () => {
  test("continues where it was killed, and is then complete", async () => {
    await fill(source, 16_000);
    const child = start("--from", source, "--to", target);
    await expect.poll(() => existsSync(file), { interval: 5 }).toBe(true);
    child.kill("SIGKILL");
    await once(child, "close");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { segments }: { segments: { copied: number }[] } = JSON.parse(await readFile(file, "utf8"));
    const done = segments.reduce((sum, { copied }) => sum + copied, 0);
    const requests = noteRequests(database.client);

    expect(await copy()).toContain(`continued: copied ${done.toLocaleString("en")} items`);
    expect(await items(target)).toEqual(await items(source));
    const written = requests.filter(({ operation }) => operation === "BatchWriteItem").length * 25;
    expect([done > 0, written < 16_000 - done + 8 * 25]).toEqual([true, true]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("does not continue with a command that copies something else, or after a table has been replaced", async () => {
    await fill(source, 100);
    let writes = 0;
    before("BatchWriteItem", () => {
      writes += 1;
      if (writes > 1) throw new Error("the power is off");
      return undefined;
    });
    await expect(copy()).rejects.toThrow("the power is off");
    const otherCopy = /checkpoint\.json is of another copy, or one of the tables has been replaced since: delete it to/;

    await expect(copy("overwrite")).rejects.toThrow(otherCopy);
    await expect(copy("into empty", { having: ["revoked_at"] })).rejects.toThrow(otherCopy);
    await database.client.send(new DeleteTableCommand({ TableName: source }));
    await vi.waitFor(() => createTable(database.client, source, { partitionKey: "key_id" }));
    await expect(copy()).rejects.toThrow(otherCopy);
  });
});

describe("rejects the command and explains why", () => {
  test.each([
    ["no table is named", [], "Usage: npm run copy-table"],
    ["an option does not exist", ["--form", "x"], "Unknown option '--form'"],
    ["a table does not exist", ["--from", source, "--to", "nowhere"], "Table nowhere: "],
    ["both are one table", ["--from", source, "--to", source], "--from and --to are the same table."],
    ["two modes are named", ["--from", source, "--to", target, "--overwrite", "--only-missing"], "--only-missing and"],
  ])("%s", async (_, words, sentence) => {
    const child = start(...words);
    const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);

    expect([output, messages.slice(0, sentence.length), child.exitCode]).toEqual(["", sentence, 1]);
  });
});
