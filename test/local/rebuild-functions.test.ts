import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import { functionRebuilder } from "../../local/dev/rebuild-functions.ts";
import { temporaryDirectory } from "./project-fixture.ts";

/** A rebuilder of two functions, of which the first imports `shared`. */
const rebuilderOfTwo = async () => {
  const folder = await temporaryDirectory();
  const fileOf = (name: string) => join(folder, `${name}.ts`);
  const write = (name: string, value: string) => writeFile(fileOf(name), `${value}\n`);
  await write("shared", "export const shared = 1;");
  await write("one", 'export { shared } from "./shared.ts";');
  await write("two", "export const two = 1;");
  await mkdir(join(folder, "code"));
  const sources = ["one", "two"].map((name) => ({ name, entry: relative(packageFolder, join(folder, name)) }));
  const rebuilder = await functionRebuilder(sources, {
    folder: join(folder, "bundles"),
    codeDirectoryOf: () => join(folder, "code"),
  });
  onTestFinished(rebuilder.close);
  await rebuilder.prepare();
  /** Saves files. Returns the functions that are rebuilt if some files are reported as changed. */
  const save = async (files: Record<string, string>, reported = Object.keys(files)): Promise<string[]> => {
    for (const [name, value] of Object.entries(files)) await write(name, value);
    return (await rebuilder.rebuild(reported.map(fileOf))).map(({ name }) => name);
  };
  return save;
};

test("rebuilds the functions that contain a saved file, also if they import it only since the last build", async () => {
  const save = await rebuilderOfTwo();

  expect(await save({ shared: "export const shared = 2;" })).toEqual(["one"]);
  expect(await save({ two: 'export { shared as two } from "./shared.ts";' })).toEqual(["two"]);
  expect(await save({ shared: "export const shared = 3;" })).toEqual(["one", "two"]);
});

test("rebuilds all functions if a saved file is new to all of them", async () => {
  const save = await rebuilderOfTwo();

  expect(await save({ shared: "export const shared = 2;", two: "export const two = 2;" }, ["new"])).toEqual([
    "one",
    "two",
  ]);
});

test("rebuilds what did not compile together with the next saved file", async () => {
  const save = await rebuilderOfTwo();

  await expect(save({ shared: "export const shared = ;" })).rejects.toThrow("The change does not compile.");
  await expect(save({ two: "export const two = 2;" })).rejects.toThrow("The change does not compile.");
  expect(await save({ shared: "export const shared = 2;" })).toEqual(["one", "two"]);
});
