import { describe, expect, test } from "vitest";
import { explore, kindOf, shrinkFailure } from "../../../tools/simulation/explore.ts";
import { plants } from "../../../tools/simulation/plants/plants.ts";
import { failureReport } from "../../../tools/simulation/report.ts";
import type { CreatePlant } from "../../../tools/simulation/run-schedule.ts";
import { withVirtualGlobals } from "../../../tools/simulation/world/virtual-globals.ts";

const find = (plant: CreatePlant | undefined) =>
  withVirtualGlobals(async () => (await explore({ from: 1, to: 4_000 }, plant)).failure);

describe("a planted bug is found", () => {
  test.each(Object.entries(plants))("%s", async (_, plant) => {
    expect(await find(plant)).toBeDefined();
  });
});

test("a failure is reported as the smallest schedule that fails alike, with the command that replays it", async () => {
  const name = "a creation overwrites a key";
  const failure = await find(plants[name]);
  if (!failure) throw new Error("The planted bug was not found.");
  const smallest = await withVirtualGlobals(() => shrinkFailure(failure, plants[name]));

  const size = ({ run }: typeof failure) => run.schedule.operations.length;
  expect(size(smallest)).toBeLessThan(size(failure));
  expect(smallest.problems.map(kindOf)).toContain(kindOf(failure.problems[0]));
  expect(failureReport(smallest, { plant: name })).toContain(
    `npm run simulate -- --seed ${failure.seed} --trace --plant "${name}"`,
  );
});
