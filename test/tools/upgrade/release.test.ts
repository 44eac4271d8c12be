import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../../../infra/build/project-folder.ts";
import { plants, type Replacement } from "../../../tools/upgrade/plants.ts";
import { releasedVersion } from "../../../tools/upgrade/release-folder.ts";

test("the recorded release is the version in package.json", async () => {
  const { version } = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8"));

  expect(await releasedVersion()).toBe(version);
});

const isInSources = ({ file, text }: Replacement): boolean =>
  (file === undefined ? globSync("lambdas/**/*.ts", { cwd: projectFolder }) : [file]).some((name) =>
    readFileSync(join(projectFolder, name), "utf8").includes(text),
  );

test.each(Object.entries(plants))("the sources contain what the plant %s replaces", (_, replacements) => {
  expect(replacements.filter((replacement) => !isInSources(replacement))).toEqual([]);
});
