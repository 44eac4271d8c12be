import { spawnSync } from "node:child_process";

let found: { path: string | undefined } | undefined;

/** The path of Python 3 on this machine, or undefined if it has none. A virtual environment that is active has its own. */
export const pythonPath = (): string | undefined => {
  if (found === undefined) {
    const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable, end='')"]);
    found = { path: status === 0 ? stdout.toString() : undefined };
  }
  return found.path;
};
