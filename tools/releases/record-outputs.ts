import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { synthesise } from "../../local/synthesise.ts";
import { type ReleaseRecord, readReleasedOutputs, releasedOutputsFile } from "./released-outputs.ts";
import { readSharedOutputs } from "./shared-outputs.ts";

/*
 * Records what the data stack of this version shares with the API's stack, for the release that package.json names:
 * npm run record-release. Later versions must keep it, or nobody could return to this release.
 */

const { version: release } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")));

const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
try {
  const valuesWith = async (options: Record<string, string>): Promise<Record<string, unknown>> => {
    const assembly = await synthesise(join(folder, Object.keys(options).join("-") || "default"), { context: options });
    return Object.fromEntries(
      Object.entries(await readSharedOutputs(assembly)).map(([name, { value }]) => [name, value]),
    );
  };
  const usual = await valuesWith({});
  const withKey = Object.entries(await valuesWith({ customerManagedKey: "true" })).filter(
    ([name]) => !Object.hasOwn(usual, name),
  );
  const records: ReleaseRecord[] = [
    ...(await readReleasedOutputs()).filter((record) => record.release !== release),
    { release, options: {}, outputs: usual },
    { release, options: { customerManagedKey: "true" }, outputs: Object.fromEntries(withKey) },
  ];
  await writeFile(releasedOutputsFile, `${JSON.stringify(records, null, 2)}\n`);
  process.stdout.write(
    `Recorded what release ${release} needs from the data stack in ${releasedOutputsFile.pathname}.\n`,
  );
} finally {
  await rm(folder, { recursive: true });
}
