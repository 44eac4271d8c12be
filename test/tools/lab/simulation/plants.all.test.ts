import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explore, failureReport, kindOf, shrinkFailure } from "../../../../tools/lab/simulation/explore.ts";
import { replayStates } from "../../../../tools/lab/simulation/life-cycle/replay.ts";
import { exploreStates } from "../../../../tools/lab/simulation/life-cycle/states.ts";
import { type Plant, plants } from "../../../../tools/lab/simulation/plants.ts";
import { plants as recordPlants } from "../../../../tools/lab/simulation/records/plants.ts";
import { withVirtualGlobals } from "../../../../tools/lab/simulation/world/virtual-globals.ts";
import { unpackRelease } from "../../../../tools/release/release-folder.ts";

/** Maximum number of schedules in the search for a bug. */
const schedules = 150;

const scope = { tokens: 2, requests: 2 };
const { states } = exploreStates(scope);

let directory: string;
let release: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "integration-api-plants-"));
  release = await unpackRelease("service", directory);
});
afterAll(() => rm(directory, { recursive: true }));

const find = (plant: string, foundBy: Exclude<Plant["foundBy"], "life-cycle">, isOfRecords = false) => {
  const [from, versions] = foundBy === "upgrade" ? [1, { plant, release }] : [foundBy, { plant, isOfRecords }];
  return withVirtualGlobals(async () => (await explore({ from, to: from + schedules, ...versions })).failure);
};

describe("finds a planted bug", () => {
  test.each(Object.entries(plants))("%s", async (plant, { foundBy }) => {
    const found =
      foundBy === "life-cycle"
        ? (await replayStates(states, { scope, isComplete: false, plant })).difference
        : await find(plant, foundBy);
    expect(found).toBeDefined();
  });

  test.each(Object.entries(recordPlants))("in the stores of records: %s", async (plant, { foundBy }) => {
    expect(await find(plant, foundBy, true)).toBeDefined();
  });
});

test("reports a failure as the smallest schedule that fails in the same way, with the command to replay it", async () => {
  const plant = "a creation overwrites a key";
  const failure = await find(plant, 1);
  if (!failure) throw new Error("The planted bug was not found.");
  const smallest = await withVirtualGlobals(() => shrinkFailure(failure, { plant }));

  const size = ({ run }: typeof failure) => run.schedule.operations.length;
  expect(size(smallest)).toBeLessThan(size(failure));
  expect(smallest.problems.map(kindOf)).toContain(kindOf(failure.problems[0]));
  expect(failureReport(smallest, { plant })).toContain(
    `npm run lab -- simulation --seed ${failure.seed} --schedules 1 --plant "${plant}"`,
  );
});
