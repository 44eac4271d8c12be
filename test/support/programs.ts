import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** Skips a test that needs programs that are not installed, with a note that the run prints at its end. */
export const requirePrograms = ({ skip }: TestContext, ...programs: string[]): void => {
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
  if (missing.length > 0) skip(`${missing.join(", ")} not installed`);
};
