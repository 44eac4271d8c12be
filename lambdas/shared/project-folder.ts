import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, with the source files that every service shares. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The folder of the service to build and run, which is the current folder. This project's own service is in the package's folder.
 */
export const serviceFolder = process.cwd();

/** The cloud assembly in a release archive, which has no source files to synthesise one from. Undefined everywhere else. */
export const releasedAssembly = [join(packageFolder, "assembly")].find((folder) => existsSync(folder));

/** Whether the service depends on this package, rather than being this project's own service. */
export const isDependency = packageFolder.includes("/node_modules/");
