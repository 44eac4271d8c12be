import { join } from "node:path";
import { upgradeExample } from "../../release/example.ts";
import { unpackRelease } from "../../release/release-folder.ts";
import { applicationPackages, installPackages, packPackages } from "../../support/packages.ts";
import type { Outcome, Trial } from "../conduct.ts";
import { simulate } from "../simulation/simulation.ts";

/**
 * Upgrades the example, and goes back. Then runs schedules on the last release and on this version at the same time, on one database
 * that the release has filled. The smoke form and a planted bug need only the schedules: test/outsider also upgrades the example.
 */
export const tryUpgrade = async (trial: Trial): Promise<Outcome> => {
  const { directory, isSmoke, plant, progress } = trial;
  if (!isSmoke && plant === undefined) {
    progress("the example");
    const packages = join(directory, "packages");
    await packPackages(applicationPackages, join(packages, "packages"));
    await installPackages(packages);
    const problems = await upgradeExample(join(directory, "upgraded"), packages);
    if (problems.length > 0) return { problems };
  }
  return simulate(trial, { release: await unpackRelease("service", join(directory, "released")) });
};
