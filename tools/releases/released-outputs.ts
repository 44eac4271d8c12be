import { readFile } from "node:fs/promises";
import * as z from "zod/mini";

export const releasedOutputsFile = new URL("../../test/fixtures/releases/outputs.json", import.meta.url);

const recordSchema = z.object({
  release: z.string(),
  /** Which options a deployment has if its API's stack needs these outputs. */
  options: z.record(z.string(), z.string()),
  /** What the data stack shares, by the name of the output. */
  outputs: z.record(z.string(), z.string()),
});

/** What the data stack of a release shares with the API's stack of the same release. */
export type ReleaseRecord = z.output<typeof recordSchema>;

export const readReleasedOutputs = async (): Promise<ReleaseRecord[]> =>
  z.array(recordSchema).parse(JSON.parse(await readFile(releasedOutputsFile, "utf8")));
