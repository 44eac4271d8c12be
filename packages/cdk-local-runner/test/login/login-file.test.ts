import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openLoginFile } from "../../src/login/login-file.ts";
import { folderOf, newDirectory, temporaryDirectory } from "../support/services.ts";

const usernames = ["Alice", "admin@example.com"];

// Generating a signing key takes a while, so all tests share one.
let directory: string;
let text: string;
beforeAll(async () => {
  directory = await newDirectory();
  await openLoginFile(directory, usernames);
  text = await readFile(join(directory, "login.json"), "utf8");
  return () => rm(directory, { recursive: true });
});

test("keeps ids and passwords of users, and leaves no temporary copy of the file when a user is added", async () => {
  const before = await openLoginFile(directory, usernames);
  const folder = await folderOf({ "login.json": text });
  const after = await openLoginFile(folder, [...usernames, "new"]);

  expect(Object.keys(before.users)).toEqual(usernames);
  expect(after).toEqual({ ...before, users: { ...before.users, new: expect.any(Object) } });
  expect(await openLoginFile(folder, usernames)).toEqual(after);
  expect(await readdir(folder)).toEqual(["login.json"]);
});

test.each([
  ["cut off", () => text.slice(0, 100)],
  ["empty", () => ""],
  ["without a key", () => text.replace('"signing_key"', '"other"')],
  ["with a damaged key", () => text.replace(/"n": "[^"]+"/, '"n": "AQAB"')],
])("leaves a file that is %s unchanged, and the message says what to do", async (_, damagedText) => {
  const damaged = damagedText();
  const folder = await folderOf({ "login.json": damaged });

  await expect(openLoginFile(folder, usernames)).rejects.toThrow(
    /^The logins in \S+\/login\.json cannot be read \(.+\): restore a copy of that file, or delete it, /,
  );
  expect(await readFile(join(folder, "login.json"), "utf8")).toBe(damaged);
});

test("makes the file readable only for its owner, even if others could read it before", async () => {
  const modeIn = async (folder: string) => (await stat(join(folder, "login.json"))).mode & 0o777;
  expect(await modeIn(directory)).toBe(0o600);
  const folder = await folderOf({ "login.json": text });
  await chmod(join(folder, "login.json"), 0o644);
  await openLoginFile(folder, usernames);
  expect(await modeIn(folder)).toBe(0o600);
});

test("names an unreadable file or a read-only data folder, with instructions", async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, "login.json"));
  await expect(openLoginFile(folder, usernames)).rejects.toThrow(/login\.json cannot be read \(EISDIR/);

  // A file in place of the folder stops even a user with full write access.
  await writeFile(join(folder, "data"), "not a folder");
  await expect(openLoginFile(join(folder, "data", "deeper"), usernames)).rejects.toMatchObject({
    message: expect.stringMatching(/^The logins /),
    option: "dataDirectory",
  });
});
