import { join } from "node:path";
import { api } from "../../lambdas/api.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { descriptionOf } from "../support/contract/description.ts";
import { plant } from "./support/plant.ts";
import { isPlantName, isWithheldName, withheldRights } from "./support/plants.ts";
import { rehearse, type Stage, upgradeAndBack } from "./support/rehearse.ts";
import { releasedDescription, releasedVersion, unpackAssembly } from "./support/release-folder.ts";
import { startVersions, type Versions } from "./support/versions.ts";

const smokeStages: readonly Stage[] = [
  { what: "a tenth to the present version", share: 0.1, moment: "upgrading" },
  { what: "the present version alone", share: 1, moment: "upgraded" },
  { what: "switched back by the aliases", share: 0, moment: "upgraded" },
];

/** The smoke form proves little with fewer than these. */
const leastFigures = {
  "calls to the released version": 100,
  "calls to the present version": 100,
  "operations on keys": 50,
  "verdicts and changes of tokens": 50,
};

/** Upgrades from the last release to this version and rolls back, while clients use both. */
export const tryUpgrade = async (trial: Trial): Promise<Outcome> => {
  const { directory, seconds, isSmoke, plant: planted, say } = trial;
  const assemblyDirectory = await trial.assembly();
  const versions = await startVersions(join(directory, "data"), {
    released: {
      assemblyDirectory: await unpackAssembly(join(directory, "released")),
      description: await releasedDescription(),
    },
    present: { assemblyDirectory, description: descriptionOf(api) },
  });
  try {
    if (planted !== undefined) await plantIn(versions, planted, trial);
    if (isSmoke) return planted === undefined ? await smoke(versions) : await handOverAlone(versions);
    say(`Release ${await releasedVersion()} and this version, ${seconds} s altogether:`);
    const secondsPerStage = seconds / upgradeAndBack.length;
    return await rehearse({ versions, stages: upgradeAndBack, secondsPerStage, onStage: say });
  } finally {
    await versions.close();
  }
};

const plantIn = async (versions: Versions, name: string, { assembly, directory }: Trial): Promise<void> => {
  if (isWithheldName(name)) versions.withhold(withheldRights[name]);
  if (!isPlantName(name)) return;
  const options = { assemblyDirectory: await assembly(), directory: join(directory, "planted") };
  await plant(versions.present.service, name, options);
};

const smoke = async (versions: Versions): Promise<Outcome> => {
  const { problems, figures } = await rehearse({
    ...{ versions, stages: smokeStages, secondsPerStage: 0, callsPerStage: 150, clients: 4 },
    checkAfter: "the last stage",
  });
  const missing = Object.entries(leastFigures).filter(([name, least]) => (figures[name] ?? 0) < least);
  return { problems: [...problems, ...missing.map(([name]) => `Too few ${name}: ${figures[name]}.`)], figures };
};

/** Without traffic: the hand-overs between the two versions find the planted bugs. */
const handOverAlone = (versions: Versions): Promise<Outcome> =>
  rehearse({ versions, stages: smokeStages.slice(1, 2), secondsPerStage: 0 });
