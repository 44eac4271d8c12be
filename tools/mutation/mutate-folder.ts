import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import * as z from "zod/mini";
import { changedPart, onOneLine, type Survivor } from "./survivors.ts";

interface MutationRun {
  mutants: number;
  killed: number;
  survivors: Survivor[];
}

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** Mutates a folder of `lambdas/` and runs the unit tests in its counterpart in `test/lambdas/` for each mutant. */
export const mutateFolder = async (folder: string, { force = false } = {}): Promise<MutationRun> => {
  const incrementalFile = `.mutation/${folder.replace("/", "-")}.json`;
  await forgetSurvivors(incrementalFile);
  const mutants = await new Stryker({
    configFile: "tools/mutation/stryker.config.json",
    mutate: [`lambdas/${folder}/**/*.ts`],
    vitest: { dir: `test/lambdas/${folder}` },
    incrementalFile,
    force,
  }).runMutationTest();

  return {
    mutants: mutants.length,
    killed: mutants.filter(isKilled).length,
    survivors: await Promise.all(mutants.filter((mutant) => !isKilled(mutant)).map(survivorOf)),
  };
};

const results = z.looseObject({
  files: z.record(z.string(), z.looseObject({ mutants: z.array(z.looseObject({ status: z.string() })) })),
});

/**
 * Keeps from an earlier run only the mutants that a test noticed. Stryker would also reuse the others, although a test that has
 * been added may notice them, or a time-out may have been due to a busy machine.
 */
const forgetSurvivors = async (incrementalFile: string): Promise<void> => {
  if (!existsSync(incrementalFile)) return;
  const earlier = z.parse(results, JSON.parse(await readFile(incrementalFile, "utf8")));
  for (const file of Object.values(earlier.files)) {
    file.mutants = file.mutants.filter(({ status }) => status === "Killed");
  }
  await writeFile(incrementalFile, JSON.stringify(earlier));
};

/** A mutant is also noticed if the tests cannot be loaded because of it. */
const isKilled = ({ status }: Mutant): boolean => ["Killed", "Timeout", "RuntimeError"].includes(status);

const survivorOf = async ({ fileName, location: { start, end }, replacement }: Mutant): Promise<Survivor> => {
  const lines = (await readFile(fileName, "utf8")).split("\n");
  const prefix = lines[start.line - 1]?.slice(0, start.column - 1) ?? "";
  const suffix = lines[end.line - 1]?.slice(end.column - 1) ?? "";
  const before = onOneLine(lines.slice(start.line - 1, end.line).join("\n"));
  return { file: relative("", fileName), before, after: changedPart(before, onOneLine(prefix + replacement + suffix)) };
};
