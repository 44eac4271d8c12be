import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { soak } from "../../../tools/soak/support/soak.ts";
import { freePort } from "../../local/project-fixture.ts";

// The long run is `npm run soak`.
const seconds = 40;

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-soak-"));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

test("nothing is lost and nobody let in while threads and the process are killed", { timeout: 240_000 }, async () => {
  const { differences, figures, statuses } = await soak({
    seconds,
    port: await freePort(),
    dataDirectory,
    assemblyDirectory: inject("assemblyDirectory"),
    clients: 6,
    killProcessEveryMs: 14_000,
  });

  expect(differences).toEqual([]);
  expect(figures["processes killed"]).toBeGreaterThan(1);
  expect(figures["threads killed"]).toBeGreaterThan(1);
  // A soak that hardly did anything would prove little.
  for (const name of ["POST 201", "GET 200", "PUT 200", "DELETE 204", "GET 401", "GET 403", "GET 302"]) {
    expect(statuses[name], name).toBeGreaterThan(5);
  }
});
