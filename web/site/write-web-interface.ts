import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import { builtFiles, builtWebInterface, formatFiles } from "./build-web-interface.ts";

// Completes the built package, so that services that depend on it do not need Vite.
await writeFile(
  join(process.argv[2] ?? join(packageFolder, "dist"), builtWebInterface),
  formatFiles(await builtFiles()),
);
