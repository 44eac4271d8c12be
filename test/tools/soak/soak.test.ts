import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type SoakProgress, soak } from "../../../tools/soak/support/soak.ts";
import { freePort } from "../../support/processes.ts";

// The long run is `npm run soak`.
let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-soak-"));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

/** A shorter soak would prove little. */
const expectedStatuses = ["POST 201", "GET 200", "PUT 200", "DELETE 204", "GET 401", "GET 403", "GET 302"];

const expectedChanges = ["redeemed", "rotated", "moved", "revoked"];

const missing = ({ statuses, changes, processKills, threadKills }: SoakProgress): string[] => [
  ...expectedChanges.filter((name) => !changes[name]),
  ...expectedStatuses.filter((name) => (statuses[name] ?? 0) < 3),
  ...(processKills > 0 ? [] : ["a killed process"]),
  ...(threadKills > 2 ? [] : ["three killed threads"]),
];

test("nothing is lost and nobody is wrongly admitted while threads and the process are killed", async () => {
  const { differences, figures } = await soak({
    missing,
    mostCalls: 20_000,
    port: await freePort(),
    dataDirectory,
    assemblyDirectory: inject("assemblyDirectory"),
    clients: 6,
    callsPerThreadKill: 50,
    callsPerProcessKill: 200,
  });

  expect(differences).toEqual([]);
  // At least once during the traffic, and once after it.
  expect(figures["processes killed"]).toBeGreaterThan(1);
});
