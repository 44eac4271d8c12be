import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { api } from "../../../lambdas/api.ts";
import { synthesise } from "../../../local/synthesise.ts";
import { descriptionOf } from "../../support/contract/description.ts";
import { dataStackOptions, readDataStack } from "./data-stacks.ts";
import { withoutProse } from "./descriptions/without-prose.ts";
import { type DataStack, recordRelease } from "./release-folder.ts";

const packageFile = new URL("../../../package.json", import.meta.url);

/** Makes this version the last release, with which later versions are compared. */
export const recordThisVersion = async (directory: string): Promise<void> => {
  const assemblyDirectory = await synthesise(join(directory, "released"), { context: { stage: "prod" } });
  const dataStacks: Record<string, DataStack> = {};
  for (const [name, context] of Object.entries(dataStackOptions)) {
    dataStacks[name] = await readDataStack(await synthesise(join(directory, "options"), { context }));
  }
  await recordRelease({
    version: JSON.parse(await readFile(packageFile, "utf8")).version,
    assemblyDirectory,
    dataStacks,
    description: withoutProse(descriptionOf(api)),
  });
};
