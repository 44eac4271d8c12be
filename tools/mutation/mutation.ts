import { readFile } from "node:fs/promises";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { compareSurvivors, type ExplainedSurvivor, onOneLine, parseSurvivors, printSurvivor } from "./survivors.ts";

/** The share of the changes in a folder that tests must notice. */
const leastScore = 0.9;

/**
 * Changes the code in small ways, one at a time, and expects the unit tests of the same folder to fail. Fails if they notice
 * too few changes, or if survivors.md does not explain each of the others. The smoke form only checks survivors.md.
 */
export const mutate = async ({ parts: folders, isSmoke, has, say }: Trial): Promise<Outcome> => {
  const explained = parseSurvivors(await readFile(new URL("./survivors.md", import.meta.url), "utf8"));
  if (isSmoke) return { problems: await withoutSource(explained) };

  // The smoke form does not need Stryker, which takes a second to load.
  const { mutateFolder } = await import("./mutate-folder.ts");
  const problems: string[] = [];
  for (const folder of folders) {
    const { mutants, killed, survivors } = await mutateFolder(folder, { force: has("force") });
    const score = killed / mutants;
    say(`${folder}: ${killed} of ${mutants} changes noticed (${(score * 100).toFixed(1)} %)`);
    if (score < leastScore) problems.push(`${folder} is below ${leastScore * 100} %.`);

    const inFolder = explained.filter(({ file }) => file.startsWith(`lambdas/${folder}/`));
    const { unexplained, gone } = compareSurvivors(survivors, inFolder);
    for (const one of unexplained)
      problems.push(`Not explained in survivors.md:\n  ${one.file}\n  ${printSurvivor(one)}`);
    for (const one of gone)
      problems.push(`No longer survives: remove it from survivors.md:\n  ${one.file}\n  ${printSurvivor(one)}`);
  }
  return { problems };
};

/** The explanations of lines that do not exist. */
const withoutSource = async (explained: readonly ExplainedSurvivor[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const { file, before } of explained) {
    const text = onOneLine(await readFile(new URL(`../../${file}`, import.meta.url), "utf8"));
    if (!text.includes(before)) problems.push(`survivors.md explains a line that ${file} does not have: ${before}`);
  }
  return problems;
};
