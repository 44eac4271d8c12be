import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordThisVersion } from "./support/record.ts";

const directory = await mkdtemp(join(tmpdir(), "integration-api-release-"));
try {
  process.stdout.write(`Recorded release ${await recordThisVersion(directory)} in tools/upgrade/release.\n`);
} finally {
  await rm(directory, { recursive: true, force: true });
}
