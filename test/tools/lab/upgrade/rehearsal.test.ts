import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageFolder } from "../../../../lambdas/shared/project-folder.ts";
import { plants } from "../../../../tools/lab/upgrade/plants.ts";
import { areCompatible } from "../../../../tools/lab/upgrade/readings.ts";

test.each(Object.entries(plants))("the sources contain what the plant %s replaces", (_, replacements) => {
  const inProject = { cwd: packageFolder };
  const missing = replacements.filter(({ file = "lambdas/**/*.ts", text }) =>
    globSync(file, inProject).every((name) => !readFileSync(join(packageFolder, name), "utf8").includes(text)),
  );

  expect(missing).toEqual([]);
});

describe("responses of two versions", () => {
  test.each<[string, unknown, unknown]>([
    ["another order of fields", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["fields that only one of them knows", { items: [{ a: 1, b: 2 }] }, { items: [{ a: 1 }] }],
  ])("are compatible despite %s", (_, one, other) => {
    expect([areCompatible(one, other), areCompatible(other, one)]).toEqual([true, true]);
  });

  test.each<[string, unknown, unknown]>([
    ["a value", { a: 1, b: 2 }, { a: 1, b: 3 }],
    ["the number of items", [{ a: 1 }], [{ a: 1 }, { a: 2 }]],
    ["the name of a field", { a: 1, b: 2 }, { a: 1, c: 2 }],
    ["whether there is anything", {}, { a: 1 }],
    ["a type", { a: 1 }, { a: "1" }],
  ])("differ in %s", (_, one, other) => {
    expect([areCompatible(one, other), areCompatible(other, one)]).toEqual([false, false]);
  });
});
