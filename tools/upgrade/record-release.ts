import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { recordRights } from "../../infra/constructs/released-rights.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { synthesise } from "../../local/synthesise.ts";
import { descriptionOf } from "../support/contract/description.ts";
import { withoutProse } from "./compare-descriptions.ts";
import { dataStackOptions, readDataStack, readSharedOutputs } from "./data-stacks.ts";
import { type DataStack, type ReleasedOutputs, recordRelease, releasedOutputs } from "./release-folder.ts";

const packageFile = new URL("../../package.json", import.meta.url);

/** Makes this version the last release, with which later versions are compared. The assemblies are written into the folder. */
const recordThisVersion = async (folder: string): Promise<void> => {
  const manifest = await readFile(packageFile, "utf8");
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
  const earlier = await releasedOutputs();
  if (earlier.some(({ release }) => release === version)) {
    process.stderr.write(`Release ${version} is recorded already: set the next version in package.json first.\n`);
    process.exitCode = 1;
    return;
  }

  // First, because the synthesis includes them.
  recordRights(version, functionsOf(api));
  const production = await synthesise(join(folder, "production"), { context: dataStackOptions.prod });
  const dataStacks: Record<string, DataStack> = {};
  for (const [name, context] of Object.entries(dataStackOptions)) {
    dataStacks[name] = await readDataStack(await synthesise(join(folder, "options"), { context }));
  }
  const withKey = await synthesise(join(folder, "with-key"), {
    context: dataStackOptions["prod with a customer managed key"],
  });
  await recordRelease({
    version,
    assemblyDirectory: production,
    dataStacks,
    outputs: [...earlier, ...(await outputsOf(version, { production, withKey }))],
    description: withoutProse(descriptionOf(api)),
  });
  process.stdout.write(`Recorded release ${version} in tools/upgrade/release.\n`);
};

/** The outputs that every deployment of the release needs, and those that only one with a customer managed key needs. */
const outputsOf = async (
  release: string,
  { production, withKey }: Record<"production" | "withKey", string>,
): Promise<ReleasedOutputs[]> => {
  const always = await outputsIn(production);
  const forKey = Object.entries(await outputsIn(withKey)).filter(([name]) => !Object.hasOwn(always, name));
  return [
    { release, options: {}, outputs: always },
    { release, options: { customerManagedKey: "true" }, outputs: Object.fromEntries(forKey) },
  ];
};

const outputsIn = async (assembly: string): Promise<Record<string, string>> => {
  const shared = Object.entries(await readSharedOutputs(assembly));
  return Object.fromEntries(shared.map(([name, { value }]) => [name, value]));
};

const directory = await mkdtemp(join(tmpdir(), "integration-api-release-"));
try {
  await recordThisVersion(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
