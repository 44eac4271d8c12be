import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { lifeCycle, type Transition } from "../../../lambdas/resources/tokens/life-cycle.ts";
import { lifeCyclePage } from "../../../tools/docs/write-life-cycle.ts";

const committed = await readFile(new URL("../../../docs/life-cycle.md", import.meta.url), "utf8");

test("docs/life-cycle.md is up to date with npm run docs", () => {
  expect(committed).toBe(lifeCyclePage());
});

test("docs/life-cycle.md has an arrow for each step from each phase", () => {
  for (const [name, { from, to }] of Object.entries<Transition>(lifeCycle)) {
    for (const phase of from.length === 0 ? ["[*]"] : from)
      expect(committed).toContain(`${phase} --> ${to}: ${name}\n`);
  }
});
