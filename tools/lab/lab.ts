/* `npm run lab -- NAME [options]` runs an experiment with the service. Without a name, it lists them. */

import { installDeveloperPackages } from "../support/developer-packages.ts";
import { conduct, readWishes, UsageError } from "./conduct.ts";
import type { Experiment } from "./experiment.ts";
import { experiments } from "./experiments.ts";

const shownProblems = 20;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const clearLine = "\r\x1b[K";
const showProgress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`${clearLine}${text}`);
};

const table = (rows: [string, string][]): string[] => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
};

const list = (): string[] => [
  "Usage: npm run lab -- NAME [options]",
  ...table(Object.entries(experiments).map(([name, { summary }]) => [name, summary])),
  "npm run lab -- NAME --help shows the options of one.",
];

const helpOf = async (name: string, experiment: Experiment): Promise<string[]> => {
  const { summary, isSeeded, seconds, parts, options = {}, plants } = experiment;
  const own = Object.entries(options).map(([option, { summary: text, takesNumber }]): [string, string] => [
    `--${option}${takesNumber ? " N" : ""}`,
    text,
  ]);
  return [
    `Usage: npm run lab -- ${name}${parts ? " [PART …]" : ""} [options]`,
    summary,
    ...table([
      ...(parts ? [["PART", `only these: ${parts.join(", ")}`] satisfies [string, string]] : []),
      ...(isSeeded ? [["--seed N", "repeats the random choices of an earlier run"] satisfies [string, string]] : []),
      ...(seconds === undefined
        ? []
        : [["--seconds N", `how long it lasts; otherwise ${seconds}`] satisfies [string, string]]),
      ...(plants
        ? [["--plant NAME", `adds a bug, to see it found: ${(await plants()).join(", ")}`] satisfies [string, string]]
        : []),
      ...own,
      ["--smoke", "only the short form that npm test runs"],
    ]),
  ];
};

const runLab = async ([name, ...words]: string[]): Promise<boolean> => {
  if (name === undefined || name === "--help") {
    for (const line of list()) print(line);
    return true;
  }
  const experiment = Object.hasOwn(experiments, name) ? experiments[name] : undefined;
  if (!experiment) throw new UsageError(`There is no experiment "${name}".\n${list().join("\n")}`);
  if (words.includes("--help")) {
    for (const line of await helpOf(name, experiment)) print(line);
    return true;
  }
  await installDeveloperPackages();
  const wishes = { seed: Date.now() % 1e9, ...(await readWishes(experiment, words)) };
  const seed = experiment.isSeeded ? ` --seed ${wishes.seed}` : "";
  const startedAt = performance.now();
  const { problems, figures = {} } = await conduct(experiment, wishes, {
    say: print,
    progress: showProgress,
  });
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
  process.stderr.write(`${error.message}\nnpm run lab -- NAME --help shows the options of an experiment.\n`);
  process.exitCode = 1;
}
// Functions that were loaded keep the process alive.
process.exit();
