import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package, with the sources that every service shares. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the service that is built and run: the current one. This project's own service is in the package's folder. */
export const serviceFolder = process.cwd();

/** The cloud assembly in the archive of a release, which has no sources to make one from. Undefined everywhere else. */
export const releasedAssembly = [join(packageFolder, "assembly")].find((folder) => existsSync(folder));

/** Whether the service is one that depends on this package. */
export const isDependency = packageFolder.includes("/node_modules/");
