import { cp, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));

const leftOut = new Set(["node_modules", ".git", ".local", ".mutation", "cdk.out", "dist"]);

/**
 * Checks whether a copy includes a file or folder of the project. Leaves out files that were generated here or belong to a
 * deployment.
 */
const isCopied = (path: string) =>
  path === project || !(leftOut.has(basename(path)) || /^options\.\w+\.json$/.test(basename(path)));

/** Copies the project into a folder, and lets the copy use the installed packages. */
export const copyProject = async (folder: string): Promise<void> => {
  await cp(project, folder, { recursive: true, filter: isCopied });
  for (const packages of ["node_modules", "packages/client/node_modules"]) {
    await symlink(join(project, packages), join(folder, packages));
  }
};
