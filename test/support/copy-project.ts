import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));

const sources = [
  ...["docs", "infra", "lambdas", "local", "tools", "web"],
  ...["cdk.json", "package.json", "package-lock.json", "tsconfig.json"],
];

/** Copies the sources of the service into a folder, and lets them use the installed packages. */
export const copyProject = async (folder: string): Promise<void> => {
  await Promise.all(sources.map((source) => cp(join(project, source), join(folder, source), { recursive: true })));
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
};
