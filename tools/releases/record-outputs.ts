import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { synthesise } from "../../local/synthesise.ts";
import { type ReleaseRecord, readReleasedOutputs, releasedOutputsFile } from "./released-outputs.ts";
import { readSharedOutputs } from "./shared-outputs.ts";

/*
 * Records what the data stack of this version shares with the API's stack, for the release that package.json names:
 * npm run record-release. Later versions must keep it, or nobody could return to this release.
 */

const outputsWith = async (folder: string, options: Record<string, string>): Promise<Record<string, string>> => {
  const shared = await readSharedOutputs(
    await synthesise(join(folder, Object.keys(options).join()), { context: options }),
  );
  return Object.fromEntries(Object.entries(shared).map(([name, { value }]) => [name, value]));
};

const recordOf = async (release: string): Promise<ReleaseRecord[]> => {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
  try {
    const options = { customerManagedKey: "true" };
    const always = await outputsWith(folder, {});
    const withKey = Object.entries(await outputsWith(folder, options)).filter(([name]) => !Object.hasOwn(always, name));
    return [
      { release, options: {}, outputs: always },
      { release, options, outputs: Object.fromEntries(withKey) },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
};

const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest));
const records = await readReleasedOutputs();
if (records.some(({ release }) => release === version)) {
  process.stderr.write(
    `Release ${version} is recorded already: set the version of the next release in package.json.\n`,
  );
  process.exitCode = 1;
} else {
  await writeFile(releasedOutputsFile, `${JSON.stringify([...records, ...(await recordOf(version))], null, 2)}\n`);
  process.stdout.write(`Recorded release ${version} in ${fileURLToPath(releasedOutputsFile)}.\n`);
}
