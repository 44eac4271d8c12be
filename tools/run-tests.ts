import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { helpIfAsked } from "../local/help-if-asked.ts";
import { installDeveloperPackages } from "./support/developer-packages.ts";

// The checks and the tests run at the same time, because this is faster. The results of the checks are printed at the end, so that
// they are not lost among the test output.
helpIfAsked(`Usage: npm test [-- <path> …]
       npm run test:all [-- --rest] [<path> …]

npm test runs the service's tests, or those in some files, and meanwhile checks style and types. npm run test:all also runs the
tests that multiply cases, and the tests of the packages. With --rest, it leaves out what npm test runs. Vitest gets all other
arguments.

Environment variables:
  TEST_COUNTS  File to which each run appends its counts and failed tests. The last lines of the output are then about all runs.
`);

const cwd = fileURLToPath(new URL("..", import.meta.url));
const options = new Set(["--all", "--rest"]);
const words = process.argv.slice(2).filter((word) => !options.has(word));
const isAll = process.argv.includes("--all");
const isRest = process.argv.includes("--rest");

const folder = await mkdtemp(join(tmpdir(), "integration-api-tests-"));
const countFile = join(folder, "count");

const env = {
  // Many tests start processes that load the same packages. Node.js caches the compiled code for the next process.
  NODE_COMPILE_CACHE: join(cwd, "node_modules/.cache/node-compile"),
  // esbuild and the TypeScript compiler are written in Go, and would spend a quarter of their time on garbage collection. They
  // seldom run long enough to need it. The memory limit makes longer runs collect garbage.
  GOGC: "off",
  GOMEMLIMIT: "1GiB",
  ...process.env,
};

/** Runs one of the scripts in package.json, and returns the script and its output if it fails. */
const failureOf = async (script: string): Promise<[script: string, output: string] | undefined> => {
  // npm is a batch file on Windows, which only a shell can run.
  const child = spawn(`npm run --silent ${script}`, { cwd, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return child.exitCode === 0 ? undefined : [script, output + messages];
};

const runTests = async (): Promise<number> => {
  const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  const selected = isRest ? ["--project=!unit", "--project=!service"] : ["--project=unit", "--project=service"];
  const child = spawn(process.execPath, [vitest, "run", ...(isAll && !isRest ? [] : selected), ...words], {
    cwd,
    env: { ...env, TEST_COUNT_FILE: countFile },
    stdio: "inherit",
  });
  // Ctrl-C reaches both processes. Vitest shuts down gracefully, and this process ends with it.
  process.on("SIGINT", () => undefined);
  await once(child, "close");
  return child.exitCode ?? 1;
};

/** What the reporter of the tests writes about a run. */
interface Count {
  passed: number;
  /** A line for each failed test, with its file and the first line of its error. */
  failures: string[];
}

/** Prints the failed tests of all runs again, because the output of the tests is long, and then the counts. */
const printTotal = (lines: string): void => {
  const counts = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Count);
  const failures = counts.flatMap((count) => count.failures);
  for (const failure of failures) process.stdout.write(`Failed: ${failure}\n`);
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
};

await installDeveloperPackages();
const checks = isRest ? [] : [failureOf("lint"), failureOf("typecheck")];
const [exitCode, ...results] = await Promise.all([runTests(), ...checks]);
const failures = results.filter((failure) => failure !== undefined);
for (const [script, output] of failures) process.stderr.write(`\nnpm run ${script} failed:\n${output}`);
const lineOf = (count: Count): string => `${JSON.stringify(count)}\n`;
// Vitest writes no count if it cannot start.
const count = await readFile(countFile, "utf8").catch(() => lineOf({ passed: 0, failures: ["Vitest did not start."] }));
await rm(folder, { recursive: true });
const counts = count + lineOf({ passed: 0, failures: failures.map(([script]) => `npm run ${script}`) });
const { TEST_COUNTS: earlier } = process.env;
if (earlier) await appendFile(earlier, counts);
printTotal(earlier ? await readFile(earlier, "utf8") : counts);
process.exitCode = failures.length > 0 ? 1 : exitCode;
