import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Service } from "../../lambdas/declaration/service.ts";
import { serviceFolder } from "../../lambdas/shared/project-folder.ts";
import { descriptionFile } from "../../lambdas/site/serve-documentation.ts";
import { documentation } from "./build-documentation.ts";
import { webInterface } from "./build-web-interface.ts";
import { writeStaticFiles } from "./site-files.ts";

/** Writes the files that the site function serves into its folder. */
export const writeSite = async (service: Service, folder: string): Promise<void> => {
  const [files] = await Promise.all([
    Promise.all([documentation(service), webInterface(service)]),
    copyDescription(folder),
  ]);
  await writeStaticFiles(files.flat(), folder);
};

/**
 * Copies the description, if there is one. Without it, the service can still be deployed, and its documentation page explains what
 * is missing.
 */
const copyDescription = async (folder: string): Promise<void> => {
  const file = join(serviceFolder, descriptionFile);
  if (existsSync(file)) return copyFile(file, join(folder, descriptionFile));
  process.stderr.write(
    `Warning: ${descriptionFile}, which documents the API, is missing. Run npm run docs to generate it.\n`,
  );
};
