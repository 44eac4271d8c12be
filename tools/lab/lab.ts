/* `npm run lab -- NAME [options]` runs an experiment on the service. Without a name, it lists the experiments with their options. */

import { installDeveloperPackages } from "../support/developer-packages.ts";
import { conduct, optionsOf, readWishes, UsageError } from "./conduct.ts";
import { experiments } from "./experiments.ts";

const shownProblems = 20;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const showProgress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};

/** Runs the experiment that the words of the command line name. Returns whether it found nothing. */
const runLab = async ([name, ...words]: string[]): Promise<boolean> => {
  if (name === undefined || name === "--help" || words.includes("--help")) {
    print("Usage: npm run lab -- NAME [options]");
    for (const [each, experiment] of Object.entries(experiments)) {
      print(`${each}\n  ${experiment.summary}`);
      for (const [option, text] of optionsOf(experiment)) print(`    ${option.padEnd(16)}${text}`);
    }
    return true;
  }
  const experiment = Object.hasOwn(experiments, name) ? experiments[name] : undefined;
  if (!experiment) {
    throw new UsageError(`There is no experiment "${name}". These exist: ${Object.keys(experiments).join(", ")}.`);
  }
  await installDeveloperPackages();
  const wishes = { seed: Date.now() % 1e9, ...(await readWishes(experiment, words)) };
  const seed = experiment.numbers?.includes("seed") ? ` --seed ${wishes.seed}` : "";
  const startedAt = performance.now();
  const { problems, figures = {} } = await conduct(experiment, wishes, { say: print, progress: showProgress });
  showProgress("");
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  for (const [what, figure] of Object.entries({ ...figures, seconds })) print(`${String(figure).padStart(9)}  ${what}`);
  for (const problem of problems.slice(0, shownProblems)) process.stderr.write(`${problem}\n`);
  print(`${name}${seed}: ${problems.length === 0 ? "nothing found" : `${problems.length} found`}`);
  return problems.length === 0;
};

const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));

try {
  if (!(await runLab(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!isUsageError(error)) throw error;
  process.stderr.write(`${error.message}\nnpm run lab shows all experiments and their options.\n`);
  process.exitCode = 1;
}
// Loaded functions would keep the process alive.
process.exit();
