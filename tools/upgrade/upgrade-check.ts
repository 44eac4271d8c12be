import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { api } from "../../lambdas/api.ts";
import { synthesise } from "../../local/synthesise.ts";
import { descriptionOf } from "../support/contract/description.ts";
import { plant } from "./support/plant.ts";
import { isPlantName, isWithheldName, plantNames, withheldRights } from "./support/plants.ts";
import { recordThisVersion } from "./support/record.ts";
import { rehearse, upgradeAndBack } from "./support/rehearse.ts";
import { releasedDescription, releasedVersion, unpackAssembly } from "./support/release-folder.ts";
import { startVersions } from "./support/versions.ts";

const { values } = parseArgs({
  options: {
    /** How long traffic flows in each stage. */
    seconds: { type: "string", default: "20" },
    /** An incompatible change to make to this version, or a right to take away, to see that it is found. */
    plant: { type: "string" },
    /** Makes this version the last release. */
    record: { type: "boolean", default: false },
  },
});

const shownDifferences = 20;

const check = async (directory: string): Promise<void> => {
  const { plant: planted } = values;
  if (planted !== undefined && !isPlantName(planted) && !isWithheldName(planted)) {
    throw new Error(`--plant must be one of ${plantNames.join(", ")}.`);
  }
  const assemblyDirectory = await synthesise(join(directory, "present"));
  const versions = await startVersions(join(directory, "data"), {
    released: {
      assemblyDirectory: await unpackAssembly(join(directory, "released")),
      description: await releasedDescription(),
    },
    present: { assemblyDirectory, description: descriptionOf(api) },
  });
  try {
    if (planted && isWithheldName(planted)) versions.withhold(withheldRights[planted]);
    else if (planted)
      await plant(versions.present.service, planted, { assemblyDirectory, directory: join(directory, "planted") });
    const secondsPerStage = Number(values.seconds);
    print(`Release ${await releasedVersion()} and this version, ${secondsPerStage} s for each stage:`);
    const { differences, figures } = await rehearse({
      versions,
      stages: upgradeAndBack,
      secondsPerStage,
      onStage: print,
    });
    for (const [name, value] of Object.entries(figures)) print(`${String(value).padStart(9)}  ${name}`);
    for (const difference of differences.slice(0, shownDifferences)) process.stderr.write(`${difference}\n`);
    if (differences.length > 0) process.exitCode = 1;
  } finally {
    await versions.close();
  }
};

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const directory = await mkdtemp(join(tmpdir(), "integration-api-upgrade-"));
try {
  if (values.record) print(`Recorded release ${await recordThisVersion(directory)} in tools/upgrade/release.`);
  else await check(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
