import { describe, expect, test } from "vitest";
import { buildWithPlant } from "../../../tools/lab/planted-code.ts";
import { explore, failureReport, kindOf, shrinkFailure } from "../../../tools/simulation/explore.ts";
import { replayStates } from "../../../tools/simulation/life-cycle/replay.ts";
import { exploreStates } from "../../../tools/simulation/life-cycle/states.ts";
import { plants } from "../../../tools/simulation/plants.ts";
import { withVirtualGlobals } from "../../../tools/simulation/world/virtual-globals.ts";

/** The bugs that differ from the model of a token's life. All others are found in random schedules. */
const inLifeCycle: readonly string[] = ["a confirmation ignores the code"];

/** The first seed of the search for a rare bug. A search from the first of all seeds would find it, too. */
const firstSeeds: Readonly<Record<string, number>> = {};

/** The most schedules that the search for a bug may need. */
const schedules = 150;

const find = (plant: string) =>
  withVirtualGlobals(async () => {
    const from = firstSeeds[plant] ?? 1;
    return (await explore({ from, to: from + schedules, plant })).failure;
  });

const scope = { tokens: 2, requests: 2 };
const { states } = exploreStates(scope);

// A search ends after a number of schedules, however long they take.
describe("a planted bug is found", { timeout: 600_000 }, () => {
  test.each(Object.keys(plants))("%s", async (plant) => {
    const found = inLifeCycle.includes(plant)
      ? (await replayStates(states, { scope, isComplete: false, plant })).difference
      : await find(plant);
    expect(found).toBeDefined();
  });

  test("wherever its search begins: each of those names a bug", () => {
    expect(Object.keys(plants)).toEqual(expect.arrayContaining([...Object.keys(firstSeeds), ...inLifeCycle]));
  });
});

test("a plant is refused if the sources no longer contain what it replaces", async () => {
  const outdated = { bug: [{ text: "no such text", by: "" }] };
  await expect(buildWithPlant(outdated, "bug", async () => {})).rejects.toThrow("Correct the plant:\nno such text");
});

test("a failure is reported as the smallest schedule that fails in the same way, with the command that replays it", async () => {
  const plant = "a creation overwrites a key";
  const failure = await find(plant);
  if (!failure) throw new Error("The planted bug was not found.");
  const smallest = await withVirtualGlobals(() => shrinkFailure(failure, plant));

  const size = ({ run }: typeof failure) => run.schedule.operations.length;
  expect(size(smallest)).toBeLessThan(size(failure));
  expect(smallest.problems.map(kindOf)).toContain(kindOf(failure.problems[0]));
  expect(failureReport(smallest, { plant })).toContain(
    `npm run lab -- simulation --seed ${failure.seed} --schedules 1 --plant "${plant}"`,
  );
});
