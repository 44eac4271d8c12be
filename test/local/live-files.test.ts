import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { followLiveFiles } from "../../local/live-files.ts";
import { temporaryDirectory } from "./project-fixture.ts";

const file = "api-docs.json";

/** A project and the bundle of a running function, whose copy is kept up to date. */
const followed = async () => {
  const [serviceFolder, codeDirectory] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(serviceFolder, file), "new");
  await writeFile(join(codeDirectory, file), "old");
  const onError = (error: unknown) => expect.unreachable(String(error));
  const codeDirectoryOf = (functionName: string) => (functionName === "site" ? codeDirectory : undefined);
  const follower = await followLiveFiles({ codeDirectoryOf }, { serviceFolder, onError });
  onTestFinished(() => follower.close());
  const copy = () => readFile(join(codeDirectory, file), "utf8").catch(() => "gone");
  return { original: join(serviceFolder, file), copy };
};

test("the project's file replaces a copy that an earlier run left in the bundle", async () => {
  const { copy } = await followed();

  expect(await copy()).toBe("new");
});

test("changing, deleting and recreating a file takes effect in the running bundle", async () => {
  const { original, copy } = await followed();

  await writeFile(original, "changed");
  await expect.poll(copy).toBe("changed");
  await rm(original);
  await expect.poll(copy).toBe("gone");
  await writeFile(`${original}.new`, "back");
  await rename(`${original}.new`, original);
  await expect.poll(copy).toBe("back");
});
