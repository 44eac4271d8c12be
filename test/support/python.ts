import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";

const folder = fileURLToPath(new URL("../../packages/python-client/", import.meta.url));

/** How to run the Python client as it is in this repository: without proxies, and without leaving files behind. */
export const python = {
  command: "python3",
  folder,
  environment: { PATH: process.env.PATH, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
};

const succeeds = (script: string): boolean => spawnSync(python.command, ["-c", script]).status === 0;

let isInstalled: boolean | undefined;

/**
 * Skips a test if Python is missing or too old, or lacks a module, with a note that the run prints at its end. With
 * `REQUIRE_PROGRAMS=true`, as in the workflow, the test fails instead.
 */
export const requirePython = ({ skip }: TestContext, ...modules: string[]): void => {
  isInstalled ??= succeeds("import sys; sys.exit(sys.version_info < (3, 10))");
  const missing = isInstalled ? modules.filter((name) => !succeeds(`import ${name}`)) : ["Python 3.10 or newer"];
  if (missing.length === 0) return;
  if (process.env.REQUIRE_PROGRAMS === "true") throw new Error(`${missing.join(", ")} must be installed`);
  skip(`${missing.join(", ")}${isInstalled ? " for Python" : ""} not installed`);
};
