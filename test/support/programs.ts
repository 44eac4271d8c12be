import { accessSync, constants } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { TestContext } from "vitest";

/** Leaves a test out if it needs programs that are not installed: see `leaveOutWithout`. */
export const requirePrograms = (context: TestContext, ...programs: string[]): void =>
  leaveOutWithout(
    context,
    programs.filter((program) => !isInstalled(program)),
  );

/** Whether a program is on the path. Starting some programs would take longer than a test. */
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
