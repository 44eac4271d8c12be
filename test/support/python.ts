import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { leaveOutWithout } from "./programs.ts";

const folder = fileURLToPath(new URL("../../packages/python-client/", import.meta.url));

/** Python itself, if it is new enough. The one on the path may be a script that starts it, which takes longer. */
const executable = String(
  spawnSync("python3", ["-c", "import sys; print(sys.executable if sys.version_info >= (3, 10) else '')"]).stdout ?? "",
).trim();

/** How to run the Python client as it is in this repository: without proxies, and without leaving files behind. */
export const python = {
  command: executable || "python3",
  folder,
  environment: { PATH: process.env.PATH, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
};

const succeeds = (script: string): boolean => spawnSync(python.command, ["-c", script]).status === 0;

/** Leaves a test out if Python is missing or too old, or lacks a module: see `leaveOutWithout`. */
export const requirePython = (context: TestContext, ...modules: string[]): void => {
  const missing = modules.filter((name) => !succeeds(`import ${name}`)).map((name) => `${name} for Python`);
  leaveOutWithout(context, executable ? missing : ["Python 3.10 or newer"]);
};
