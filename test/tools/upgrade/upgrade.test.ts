import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { descriptionOf } from "../../../tools/support/contract/description.ts";
import { plant } from "../../../tools/upgrade/support/plant.ts";
import { type PlantName, withheldRights } from "../../../tools/upgrade/support/plants.ts";
import { rehearse, type Stage } from "../../../tools/upgrade/support/rehearse.ts";
import { releasedDescription, releasedVersion, unpackAssembly } from "../../../tools/upgrade/support/release-folder.ts";
import { startVersions, type Versions } from "../../../tools/upgrade/support/versions.ts";

// The long run is `npm run upgrade-check`.
let directory: string;
let versions: Versions;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "integration-api-upgrade-"));
  versions = await startVersions(join(directory, "data"), {
    released: {
      assemblyDirectory: await unpackAssembly(join(directory, "released")),
      description: await releasedDescription(),
    },
    present: { assemblyDirectory: inject("assemblyDirectory"), description: descriptionOf(api) },
  });
});
afterAll(async () => {
  await versions.close();
  await rm(directory, { recursive: true });
});

/** Fewer than those of the command. */
const stages: Stage[] = [
  { what: "a tenth to the present version", share: 0.1, moment: "upgrading" },
  { what: "the present version alone", share: 1, moment: "upgraded" },
  { what: "switched back by the aliases", share: 0, moment: "upgraded" },
];

test("nothing is lost or unreadable when an upgrade is begun, finished and rolled back", async () => {
  const { differences, figures } = await rehearse({
    ...{ versions, stages, secondsPerStage: 0, callsPerStage: 150, clients: 4 },
    checkAfter: "the last stage",
  });

  expect(differences).toEqual([]);
  expect(figures["calls to the released version"]).toBeGreaterThan(100);
  expect(figures["calls to the present version"]).toBeGreaterThan(100);
  expect(figures["operations on keys"]).toBeGreaterThan(50);
  expect(figures["verdicts and changes of tokens"]).toBeGreaterThan(50);
});

/** What is found first of some incompatible changes. The command `npm run upgrade-check -- --plant NAME` makes the others. */
const findings: [PlantName, RegExp][] = [
  ["open-invitation", /an invitation's secret is no token, in the released version/],
];

describe("an incompatible change is found", () => {
  afterEach(() => versions.present.service.reload(inject("assemblyDirectory")));

  test.each(findings)("%s", async (name, finding) => {
    await plant(versions.present.service, name, {
      assemblyDirectory: inject("assemblyDirectory"),
      directory: join(directory, name),
    });

    // Without traffic: what the two versions hand over to each other is enough.
    const { differences } = await rehearse({ versions, stages: stages.slice(0, 1), secondsPerStage: 0 });

    expect(differences).toEqual(expect.arrayContaining([expect.stringMatching(finding)]));
  });
});

test("a right that the release needs and that is missing is found", { timeout: 120_000 }, async () => {
  versions.withhold(withheldRights["right-of-the-release"]);
  try {
    const { differences } = await rehearse({ versions, stages: stages.slice(1, 2), secondsPerStage: 0 });

    expect(differences).toContain("v1-delete-key is not authorized to perform: dynamodb:DeleteItem");
  } finally {
    versions.withhold(undefined);
  }
});

test("the recorded release is the version in package.json", async () => {
  const { version } = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));

  expect(await releasedVersion()).toBe(version);
});
