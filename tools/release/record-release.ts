import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { recordRights } from "../../infra/constructs/released-rights.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { synthesise } from "../../local/synthesise.ts";
import { descriptionOf } from "../../test/kit/contract/description.ts";
import { dataStackOptions, readDataStack, readSharedOutputs } from "./data-stacks.ts";
import { recordExample } from "./example.ts";
import {
  type DataStack,
  filesOf,
  isInDevelopment,
  type ReleasedOutputs,
  releasedOutputs,
  writePart,
  writeRelease,
} from "./release-folder.ts";

helpIfAsked(`Usage: npm run record-release

Makes this version the last release, with which later versions are compared: writes tools/release/recorded.
Until the first release, it records a version in development, as often as necessary.
`);

const packageFile = new URL("../../package.json", import.meta.url);

/** Records a release. The assemblies are written into the folder. */
const recordRelease = async (version: string, folder: string, earlier: ReleasedOutputs[]): Promise<void> => {
  // Recorded first, because the synthesis includes the rights. A version in development has never been deployed, so its rights need
  // not be kept.
  if (!isInDevelopment(version)) recordRights(version, functionsOf(api), api.tables);
  // This halves the size.
  process.env.KEEP_NAMES = "true";
  const dataStacks: Record<string, DataStack> = {};
  const assemblyOf = (name: string): string => join(folder, name, "cdk.out");
  for (const [name, context] of Object.entries(dataStackOptions)) {
    await synthesise(join(folder, name), { context });
    dataStacks[name] = await readDataStack(assemblyOf(name));
  }
  // Every deployment needs some outputs. The others are needed only with a customer managed key.
  const always = await outputsIn(assemblyOf("prod"));
  const withKey = Object.entries(await outputsIn(assemblyOf("prod with a customer managed key")));
  const forKey = Object.fromEntries(withKey.filter(([name]) => !Object.hasOwn(always, name)));

  const service = await filesOf("service", assemblyOf("prod"));
  const files = { ...service, ...(await recordExample(join(folder, "example"))) };
  await writeRelease({ version, description: descriptionOf(api), dataStacks, files });
  await writePart("outputs.json", [
    ...earlier,
    { release: version, options: {}, outputs: always },
    { release: version, options: { customerManagedKey: "true" }, outputs: forKey },
  ]);
  // The changes that were accepted since the previous release are part of this release.
  await writePart("accepted-changes.json", []);
};

const outputsIn = async (assembly: string): Promise<Record<string, string>> => {
  const shared = Object.entries(await readSharedOutputs(assembly));
  return Object.fromEntries(shared.map(([name, { value }]) => [name, value]));
};

const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(packageFile, "utf8")));
const earlier = (await releasedOutputs()).filter(({ release }) => !isInDevelopment(release));
if (earlier.some(({ release }) => release === version) || (earlier.length > 0 && isInDevelopment(version))) {
  process.stderr.write(
    `${version} is in development or recorded already: set the version of the release in package.json first.\n`,
  );
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
  try {
    await recordRelease(version, folder, earlier);
    process.stdout.write(`Recorded ${version} in tools/release/recorded.\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
