import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Stryker } from "@stryker-mutator/core";
import type { Outcome, Trial } from "../lab/experiment.ts";

type Mutant = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** The share of the changes in each folder of `lambdas/` that tests must notice. Raise it when more of them are noticed. */
const leastScores: Readonly<Record<string, number>> = {
  "resources/tokens": 0.95,
  "resources/limits": 0.99,
  "resources/keys": 0.95,
  middlewares: 0.96,
};

/**
 * Changes the code in small ways, one at a time, and expects the unit tests of the same folder to fail. Lists the changes that
 * they do not notice, and fails if there are too many. The smoke form only makes sure that there are files to change.
 */
export const mutate = async ({ parts: folders, isSmoke, say }: Trial): Promise<Outcome> => {
  const problems: string[] = [];
  for (const folder of folders) {
    const least = leastScores[folder];
    if (least === undefined || !existsSync(`lambdas/${folder}`) || !existsSync(`test/lambdas/${folder}`)) {
      problems.push(`${folder} has no least score, no code or no tests.`);
      continue;
    }
    if (isSmoke) continue;
    const mutants = await mutateFolder(folder);
    const survivors = mutants.filter((mutant) => !isKilled(mutant));
    const score = 1 - survivors.length / mutants.length;
    for (const survivor of survivors) say(describe(survivor));
    say(`${folder}: ${mutants.length - survivors.length} of ${mutants.length} changes noticed`);
    if (!(score >= least)) problems.push(`${folder}: ${(score * 100).toFixed(1)} % noticed, not ${least * 100} %.`);
  }
  return { problems };
};

/** Runs the unit tests in the counterpart of a folder for each mutant. */
const mutateFolder = async (folder: string): Promise<Mutant[]> => {
  // The smoke form does not need Stryker, which takes a second to load.
  const { Stryker } = await import("@stryker-mutator/core");
  return new Stryker({
    configFile: "tools/mutation/stryker.config.json",
    mutate: [`lambdas/${folder}/**/*.ts`],
    vitest: { dir: `test/lambdas/${folder}` },
  }).runMutationTest();
};

/** A mutant is also noticed if the tests cannot be loaded because of it. */
const isKilled = ({ status }: Mutant): boolean => ["Killed", "Timeout", "RuntimeError"].includes(status);

const describe = ({ fileName, location, mutatorName, replacement }: Mutant): string =>
  `${relative("", fileName)}:${location.start.line}:${location.start.column} survives: ${mutatorName} → ${replacement}`;
