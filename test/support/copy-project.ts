import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));

const sources = [
  ...["docs", "infra", "lambdas", "local", "tools", "web"],
  ...["cdk.json", "package.json", "package-lock.json", "tsconfig.json"],
];

/** Copies what the service is built and run from into a folder, and lets it use the installed packages. */
export const copyProject = async (folder: string): Promise<void> => {
  await Promise.all(sources.map((source) => cp(join(project, source), join(folder, source), { recursive: true })));
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
};
