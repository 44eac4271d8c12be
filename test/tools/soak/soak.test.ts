import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type SoakProgress, soak } from "../../../tools/soak/support/soak.ts";
import { freePort } from "../../support/free-port.ts";

// The long run is `npm run soak`.
let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-soak-"));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

/** A shorter soak would prove little. */
const expectedStatuses = ["POST 201", "GET 200", "PUT 200", "DELETE 204", "GET 401", "GET 403", "GET 302"];

const expectedChanges = ["redeemed", "rotated", "moved", "revoked"];

const isEnough = ({ statuses, changes, processKills, threadKills }: SoakProgress): boolean =>
  expectedChanges.every((name) => (changes[name] ?? 0) > 0) &&
  processKills > 0 &&
  threadKills > 2 &&
  expectedStatuses.every((name) => (statuses[name] ?? 0) > 2);

test("nothing is lost and nobody is wrongly admitted while threads and the process are killed", {
  timeout: 240_000,
}, async () => {
  const { differences, figures, statuses } = await soak({
    seconds: 180,
    isEnough,
    port: await freePort(),
    dataDirectory,
    assemblyDirectory: inject("assemblyDirectory"),
    clients: 6,
    killThreadEveryMs: 700,
    killProcessEveryMs: 2_500,
  });

  expect(differences).toEqual([]);
  // At least once during the traffic, and once after it.
  expect(figures["processes killed"]).toBeGreaterThan(1);
  for (const name of expectedChanges) expect(figures[`${name} by clients`]).toBeGreaterThan(0);
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(expectedStatuses));
});
