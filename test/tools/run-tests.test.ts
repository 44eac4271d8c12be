import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { createVitest } from "vitest/node";

test("every test file belongs to exactly one project, and runs in either npm test or npm run test:all", async () => {
  const files = execFileSync("git", ["ls-files", "*.test.ts"], { encoding: "utf8" }).trim().split("\n");
  const vitest = await createVitest("test", { watch: false });
  const specifications = await vitest.globTestSpecifications();
  await vitest.close();
  const found = specifications.map(({ moduleId }) => moduleId.slice(process.cwd().length + 1));

  // An application's tests run in its own project.
  expect(found.toSorted()).toEqual(files.filter((file) => !file.startsWith("examples/")).toSorted());
});
