import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { App, Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { bundleFolderOf } from "../../../infra/bundles/assembly-files.ts";
import { addCodeCaches, codeIn } from "../../../infra/bundles/code-caches.ts";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { lambdaFlags } from "../../../tools/lab/bench/measure.ts";

const here = process.arch === "x64" ? "x86_64" : "arm64";
const name = "v1-get-key";
const [declared] = functionsOf(api).filter((one) => one.name === name);

let top: string;
let folder: string;
let cache: Buffer;

/** Copies the bundle of the function, with its code cache. */
const copyOf = async (source = bundleFolderOf(inject("assemblyDirectory"), name)) => {
  const copy = await mkdtemp(join(top, "copy-"));
  await cp(source, copy, { recursive: true });
  return copy;
};

const addCacheTo = async (bundleFolder: string, architecture: typeof here | "arm64" = here) => {
  if (declared) await addCodeCaches([{ ...declared, bundleFolder: relative("", bundleFolder) }], architecture);
};

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), "code-cache-"));
  folder = await copyOf();
  // As in a project, whose package.json is above the cloud assembly.
  await writeFile(join(top, "package.json"), '{ "type": "module" }');
  await addCacheTo(folder);
  await rm(join(top, "package.json"));
  cache = await readFile(join(folder, "index.cache"));
});
afterAll(() => rm(top, { recursive: true }));

/** Calls the function in a new process without a database. */
const callIn = (bundleFolder: string, { flags = lambdaFlags, file = "cached.js" } = {}) => {
  const event = JSON.stringify(declared?.checks[0]?.request);
  const code = `require("${bundleFolder}/${file}").handler(${event}, { getRemainingTimeInMillis: () => 0 }).then(() => process.exit())`;
  const tables = { KEYS_TABLE: "keys", TOKENS_TABLE: "tokens", LIMITS_TABLE: "limits" };
  const env = { ...tables, AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
  return promisify(execFile)(process.execPath, [...flags, "-e", code], { env });
};

/** Calls the function in a new process. Returns its line of the log. */
const call = async (...about: Parameters<typeof callIn>) => {
  const { stdout } = await callIn(...about);
  const { timestamp: _, ...line } = JSON.parse(stdout);
  return line;
};

const damaged = async (damage: (copy: string) => Promise<unknown>) => {
  const copy = await copyOf(folder);
  await damage(copy);
  return copy;
};
const inCache = (copy: string) => join(copy, "index.cache");
const flipped = (bytes: Buffer, position: number) =>
  Buffer.concat([bytes.subarray(0, position), Buffer.of((bytes[position] ?? 0) ^ 1), bytes.subarray(position + 1)]);

test("V8 accepts the cache under Lambda's flags, and the log of the cold start says so", async () => {
  const { cause, ...line } = await call(folder);
  const { cause: withoutCache, ...expected } = await call(folder, { file: "index.js" });
  expect(line).toEqual({ ...expected, code_cache: "accepted" });
  // The positions in the bundle are the same, so that decode-stack finds their sources.
  expect(cause).toMatch(/index\.js:\d+:\d+/);
  expect(cause).toBe(withoutCache.replaceAll(folder, "/var/task"));
});

test.each<[string, (copy: string) => Promise<unknown>]>([
  ["that is missing", (copy) => rm(inCache(copy))],
  ["that is truncated", (copy) => truncate(inCache(copy), cache.length - 1)],
  ["without its label", (copy) => writeFile(inCache(copy), cache.subarray(64))],
  ["with a flipped bit", (copy) => writeFile(inCache(copy), flipped(cache, cache.length >> 1))],
  [
    "of another version of V8",
    (copy) => writeFile(inCache(copy), cache.toString("latin1").replace(/^\d/, "9"), "latin1"),
  ],
  [
    "of another code with the same length",
    async (copy) => {
      const file = join(copy, "index.js");
      const code = await readFile(file, "utf8");
      await writeFile(file, code.replace("cold_start", "cold_stare"));
    },
  ],
])("a cache %s does not run", async (_, damage) => {
  const copy = await damaged(damage);
  const line = await call(copy);
  expect(line.code_cache).toBe("rejected");
  expect(line).toMatchObject({ status: 503, code: "unavailable" });
});

test("stack traces have the right positions even in the first line, which the loader extends", async () => {
  const copy = await copyOf(folder);
  await writeFile(
    join(copy, "index.js"),
    "exports.handler = async () => console.log(JSON.stringify(new Error('here').stack))",
  );
  const { stdout } = await callIn(copy);
  expect(stdout).toContain("/var/task/index.js:1:58");
});

test("V8 rejects the cache under other flags, and the function works", async () => {
  expect(await call(folder, { flags: ["--no-lazy"] })).toMatchObject({ code: "unavailable", code_cache: "rejected" });
});

test("caches of the same code do not make another version of the function, but another V8 does", async () => {
  const [again, other] = [await copyOf(), await copyOf(folder)];
  await addCacheTo(again);
  await writeFile(inCache(other), cache.toString("latin1").replace(/^\d/, "9"), "latin1");
  expect(crc32(await readFile(inCache(again)))).not.toBe(crc32(cache));

  const stack = new Stack(new App({ outdir: join(top, "cdk.out") }));
  const [first, second, third] = [folder, again, other].map(
    (bundleFolder) => codeIn(bundleFolder).code.bind(new Construct(stack, bundleFolder)).s3Location?.objectKey,
  );
  expect(first).toBeDefined();
  expect(second).toEqual(first);
  expect(third).not.toEqual(first);
});

test("a cache contains nothing of the environment in which it was made", async () => {
  for (const value of [folder, "code-cache-key-id", "code-cache-secret", "code-cache-table", "code-cache.example"]) {
    expect([value, cache.includes(value), cache.includes(value, 0, "utf16le")]).toEqual([value, false, false]);
  }
});

test("a machine with another architecture leaves the cache out, says so, and removes an earlier one", async () => {
  const copy = await copyOf(folder);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await addCacheTo(copy, here === "arm64" ? ("x86_64" as typeof here) : "arm64");
  expect(write.mock.calls.flat().join("")).toMatch(
    /^The functions have no code cache, because that takes linux .*\.\n$/,
  );
  expect(codeIn(copy).handler).toBe("index.handler");
});
