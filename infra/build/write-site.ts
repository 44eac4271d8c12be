import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { descriptionFile } from "../../lambdas/functions/site/documentation.ts";
import { documentationPage } from "./documentation-page.ts";
import { writeStaticFiles } from "./static-files.ts";
import { webInterface } from "./web-interface.ts";

const description = fileURLToPath(new URL(`../../${descriptionFile}`, import.meta.url));

/** Writes what the site function serves into its folder. */
export const writeSite = async (folder: string): Promise<void> => {
  const [files] = await Promise.all([Promise.all([documentationPage(), webInterface()]), copyDescription(folder)]);
  await writeStaticFiles(files.flat(), folder);
};

/** The service is deployed without the description too: only its documentation is then not to be had, and says why. */
const copyDescription = async (folder: string): Promise<void> => {
  try {
    await copyFile(description, join(folder, descriptionFile));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    process.stderr.write(
      `Warning: there is no ${descriptionFile} to document the API with. Run npm run docs to make it.\n`,
    );
  }
};
