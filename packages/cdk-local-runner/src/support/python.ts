import { spawnSync } from "node:child_process";

let found: { path: string | undefined } | undefined;

/** Finds Python 3 on this machine; undefined if it isn't installed. An active virtual environment has its own Python. */
export const pythonPath = (): string | undefined => {
  if (found === undefined) {
    const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable, end='')"]);
    found = { path: status === 0 ? stdout.toString() : undefined };
  }
  return found.path;
};
