/*
 * `npm run mutation` changes the code in small ways, one at a time, and expects the unit tests of the same folder to fail. It
 * fails if fewer than 90 % of the changes in a folder are noticed, or if survivors.md does not explain each of the others.
 *
 * `npm run mutation -- limits` tests one folder. It skips what has not changed since the last run, without `--force`.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { mutateFolder } from "./mutate-folder.ts";
import { compareSurvivors, parseSurvivors, printSurvivor } from "./survivors.ts";

/** The folders under test: the code that decides who is admitted and what is stored. */
const folders = ["resources/tokens", "resources/limits", "resources/keys", "middlewares"];
const leastScore = 0.9;

const { values, positionals } = parseArgs({ options: { force: { type: "boolean" } }, allowPositionals: true });
const chosen = folders.filter(
  (folder) => positionals.length === 0 || positionals.some((name) => folder.endsWith(name)),
);
if (chosen.length === 0)
  throw new Error(`There is no folder ${positionals.join(" or ")}. The folders are: ${folders.join(", ")}.`);

const explained = parseSurvivors(await readFile(new URL("./survivors.md", import.meta.url), "utf8"));
const table: Record<string, Record<string, string | number>> = {};
const problems: string[] = [];

for (const folder of chosen) {
  const { mutants, killed, survivors } = await mutateFolder(folder, { force: values.force });
  const score = killed / mutants;
  table[folder] = { mutants, killed, survived: survivors.length, score: `${(score * 100).toFixed(1)} %` };
  if (score < leastScore) problems.push(`${folder} is below ${leastScore * 100} %.`);

  const inFolder = explained.filter(({ file }) => file.startsWith(`lambdas/${folder}/`));
  const { unexplained, gone } = compareSurvivors(survivors, inFolder);
  for (const one of unexplained)
    problems.push(`Not explained in survivors.md:\n  ${one.file}\n  ${printSurvivor(one)}`);
  for (const one of gone)
    problems.push(`No longer survives: remove it from survivors.md:\n  ${one.file}\n  ${printSurvivor(one)}`);
}

console.table(table);
if (problems.length > 0) {
  console.error(problems.join("\n\n"));
  process.exitCode = 1;
}
