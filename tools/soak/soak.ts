import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { synthesise } from "../../local/synthesise.ts";
import { soak } from "./support/soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    port: { type: "string", default: "4100" },
    clients: { type: "string", default: "10" },
  },
});

const directory = await mkdtemp(join(tmpdir(), "integration-api-soak-"));
try {
  const assemblyDirectory = await synthesise(directory);
  const { figures, statuses, differences } = await soak({
    seconds: Number(values.minutes) * 60,
    port: Number(values.port),
    clients: Number(values.clients),
    dataDirectory: join(directory, "data"),
    assemblyDirectory,
  });
  for (const [name, value] of Object.entries({ ...statuses, ...figures })) {
    process.stdout.write(`${String(value).padStart(9)}  ${name}\n`);
  }
  for (const difference of differences) process.stderr.write(`${difference}\n`);
  if (differences.length > 0) process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
