import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";

/** Skips a test if it needs programs that are not installed: see `leaveOutWithout`. */
export const requirePrograms = (context: TestContext, ...programs: string[]): void =>
  leaveOutWithout(
    context,
    programs.filter((program) => !isInstalled(program)),
  );

/** Returns whether a program is on the path, without starting it, which could take longer than a test. */
const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => isExecutable(resolve(folder, program)));

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Skips a test if a program that it needs is missing, with a note that the run prints at its end. With `REQUIRE_PROGRAMS=true`,
 * as in the workflow, the test fails instead.
 */
export const leaveOutWithout = ({ skip }: TestContext, missing: readonly string[]): void => {
  if (missing.length === 0) return;
  if (process.env.REQUIRE_PROGRAMS === "true") throw new Error(`${missing.join(", ")} must be installed`);
  skip(`${missing.join(", ")} not installed`);
};

const folder = fileURLToPath(new URL("../../packages/python-client/", import.meta.url));

let executable: string | undefined;

/** Returns Python itself, if it is new enough. The one on the path may be a slower script that starts it. */
const findPython = (): string => {
  const script = "import sys; print(sys.executable if sys.version_info >= (3, 10) else '')";
  executable ??= String(spawnSync("python3", ["-c", script]).stdout ?? "").trim();
  return executable;
};

/** Returns how to run this repository's Python client: without proxies, and without leaving files behind. */
export const python = {
  get command(): string {
    return findPython() || "python3";
  },
  folder,
  environment: { PATH: process.env.PATH, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
};

const succeeds = (script: string): boolean => spawnSync(python.command, ["-c", script]).status === 0;

/** Skips a test if Python is missing or too old, or lacks a module: see `leaveOutWithout`. */
export const requirePython = (context: TestContext, ...modules: string[]): void => {
  const missing = modules.filter((name) => !succeeds(`import ${name}`)).map((name) => `${name} for Python`);
  leaveOutWithout(context, findPython() ? missing : ["Python 3.10 or newer"]);
};
