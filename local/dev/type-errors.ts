import { execFile } from "node:child_process";
import { join } from "node:path";
import { serviceFolder } from "../../lambdas/shared/project-folder.ts";

const compiler = join(serviceFolder, "node_modules/typescript/bin/tsc");

/** Returns the type errors of the project, one per line. Empty if there are none, or if TypeScript is not installed. */
export const findTypeErrors = (buildInfoFile: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const words = [compiler, "--singleThreaded", "--incremental", "--tsBuildInfoFile", buildInfoFile];
    execFile(process.execPath, words, { cwd: serviceFolder, signal }, (_, output) => resolve(output));
  });
