import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { helpIfAsked } from "../local/help-if-asked.ts";
import { installDeveloperPackages } from "./support/developer-packages.ts";

// The checks and the tests run at the same time, because this is faster. The results of the checks are printed at the end, so that
// they are not lost among the test output.
helpIfAsked(`Usage: npm test [-- <path> …]

Runs the tests, or those in some files, and meanwhile checks style and types. Vitest gets all arguments.
`);

const cwd = fileURLToPath(new URL("..", import.meta.url));

const env = {
  // Many tests start processes that load the same packages. Node.js caches the compiled code for the next process.
  NODE_COMPILE_CACHE: join(cwd, "node_modules/.cache/node-compile"),
  // esbuild and the TypeScript compiler are written in Go, and would spend a quarter of their time on garbage collection. They
  // seldom run long enough to need it. The memory limit makes longer runs collect garbage.
  GOGC: "off",
  GOMEMLIMIT: "1GiB",
  ...process.env,
};

/** Runs one of the scripts in package.json, and returns its output if it fails. */
const failureOf = async (script: string): Promise<string | undefined> => {
  // npm is a batch file on Windows, which only a shell can run.
  const child = spawn(`npm run --silent ${script}`, { cwd, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return child.exitCode === 0 ? undefined : `\nnpm run ${script} failed:\n${output}${messages}`;
};

const runTests = async (): Promise<number> => {
  const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
  const child = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd, env, stdio: "inherit" });
  // Ctrl-C reaches both processes. Vitest shuts down gracefully, and this process ends with it.
  process.on("SIGINT", () => undefined);
  await once(child, "close");
  return child.exitCode ?? 1;
};

await installDeveloperPackages();
const [exitCode, ...failures] = await Promise.all([runTests(), failureOf("lint"), failureOf("typecheck")]);
for (const failure of failures) if (failure !== undefined) process.stderr.write(failure);
process.exitCode = failures.some((failure) => failure !== undefined) ? 1 : exitCode;
