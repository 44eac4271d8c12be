import { execFileSync } from "node:child_process";
import { matchesGlob } from "node:path";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";

const projects = (config.test?.projects ?? []).flatMap((project) =>
  typeof project === "object" && "test" in project && project.test ? [project.test] : [],
);
const matches = (file: string, patterns: readonly string[] = []): boolean =>
  patterns.some((pattern) => matchesGlob(file, pattern));

test("every test file belongs to exactly one project, and so to npm test or to npm run test:all", () => {
  const files = execFileSync("git", ["ls-files", "*.test.ts"], { encoding: "utf8" }).trim().split("\n");
  const misplaced = files
    // The example's test is run in its own project.
    .filter((file) => !file.startsWith("examples/"))
    .filter((file) => {
      const owners = projects.filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude));
      return owners.length !== 1;
    });

  expect(misplaced).toEqual([]);
});
