import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/**
 * Skips a test if it needs programs that are not installed, with a note that the run prints at its end. With
 * `REQUIRE_PROGRAMS=true`, as in the workflow, the test fails instead.
 */
export const requirePrograms = ({ skip }: TestContext, ...programs: string[]): void => {
  const missing = programs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
  if (missing.length === 0) return;
  if (process.env.REQUIRE_PROGRAMS === "true") throw new Error(`${missing.join(", ")} must be installed`);
  skip(`${missing.join(", ")} not installed`);
};
