import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** Leaves a test out if it needs programs that are not installed: see `leaveOutWithout`. */
export const requirePrograms = (context: TestContext, ...programs: string[]): void =>
  leaveOutWithout(
    context,
    programs.filter((program) => spawnSync(program, ["--version"]).status !== 0),
  );

/**
 * Skips a test if anything is missing that it needs, with a note that the run prints at its end. With
 * `REQUIRE_PROGRAMS=true`, as in the workflow, the test fails instead.
 */
export const leaveOutWithout = ({ skip }: TestContext, missing: readonly string[]): void => {
  if (missing.length === 0) return;
  if (process.env.REQUIRE_PROGRAMS === "true") throw new Error(`${missing.join(", ")} must be installed`);
  skip(`${missing.join(", ")} not installed`);
};
