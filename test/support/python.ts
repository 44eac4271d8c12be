import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";

const folder = fileURLToPath(new URL("../../packages/python-client/", import.meta.url));

/** How to run the Python client as it is in this repository: no proxies, and no files left behind. */
export const python = {
  command: "python3",
  folder,
  environment: { PATH: process.env.PATH, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
};

let isInstalled: boolean | undefined;

/** Skips a test if Python is missing or too old; with `REQUIRE_PROGRAMS=true`, as in the workflow, the test fails instead. */
export const requirePython = ({ skip }: TestContext): void => {
  isInstalled ??= spawnSync(python.command, ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status === 0;
  if (isInstalled) return;
  if (process.env.REQUIRE_PROGRAMS === "true") throw new Error("Python 3.10 or newer must be installed");
  skip("Python 3.10 or newer not installed");
};
