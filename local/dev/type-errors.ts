import { execFile } from "node:child_process";
import { join } from "node:path";
import { projectDirectory } from "../synthesise.ts";

const compiler = join(projectDirectory, "node_modules/typescript/bin/tsc");

/** The type errors of the project, one after the other. Empty if there are none, or if TypeScript is not installed. */
export const findTypeErrors = (buildInfoFile: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const words = [compiler, "--singleThreaded", "--incremental", "--tsBuildInfoFile", buildInfoFile];
    execFile(process.execPath, words, { cwd: projectDirectory, signal }, (_, output) => resolve(output));
  });
