import { describe, expect, test } from "vitest";
import { buildWithPlant } from "../../../../tools/lab/planted-code.ts";
import { explore, failureReport, kindOf, shrinkFailure } from "../../../../tools/lab/simulation/explore.ts";
import { replayStates } from "../../../../tools/lab/simulation/life-cycle/replay.ts";
import { exploreStates } from "../../../../tools/lab/simulation/life-cycle/states.ts";
import { plants } from "../../../../tools/lab/simulation/plants.ts";
import { withVirtualGlobals } from "../../../../tools/lab/simulation/world/virtual-globals.ts";

/** The bugs that deviate from the model of a token's life. Random schedules find all others. */
const inLifeCycle: readonly string[] = [
  "a confirmation ignores the address",
  "a confirmation ignores the code",
  "a text can be derived after its first use",
  "a text is repeated after its time",
  "a token moves without a confirmation",
  "a shorter grace does not end the old token sooner",
  "a rejected request can still be fulfilled",
  "an address is given the code of another one",
  "a use leaves what the text can be derived from",
  "attempts are not counted",
  "a token is revoked twice",
];

/** The bugs that require one sensible order of calls, which is rare among random ones. */
const inSmallScope: readonly string[] = [
  "an address that a trust no longer names is accepted",
  "a trust that names its earlier address again revives tokens",
  "a successor does not know since when its workload is trusted",
];

/** The first seed of the search for a rare bug. A search from the very first seed would find it, too, but later. */
const firstSeeds: Readonly<Record<string, number>> = {
  "a late insertion revives a revoked token": 232,
  "a late replacement undoes a later one": 154,
  "a late creation brings a deleted key back": 118,
  "a late change of a limit undoes a later one": 220,
  "an invitation is used twice": 39,
  "a move leaves the old token active": 113,
  "a repeated call gives another text": 39,
  "a token cannot be revoked from elsewhere": 29,
  "a decision that came second is acknowledged": 1025,
  "a rotation without a response revokes the successor": 78,
  "a rotation is dated before an edit that it follows": 257,
  "a replaced token is not revoked": 131,
  "an entry is lost when a history makes room": 49,
  "a creation is forgotten when a history makes room": 49,
  "a v_code is shown although that could not be recorded": 150,
  "a notice that may have arrived is sent again": 27,
  "nobody is told what may not have arrived": 27,
  "a key that is created again keeps the end of its tombstone": 60,
  "a change waits for no clock": 28,
  "a token is rotated twice": 129,
  "a rotation ignores an edit that came first": 129,
  "the end of a rotated token is moved": 61,
  "a dismissal forgets another one": 626,
  "an update revives a revoked token": 61,
  "a list shows deleted keys": 98,
  "a list lacks a key": 69,
  "a failed creation is reported as done": 76,
  "a failed revocation is reported as done": 180,
  "a text that has ended is counted": 35,
  "an update of a counter is lost": 191,
  "a repeated delivery is counted twice": 57,
  "a revocation forgets a successor that is being made": 233,
  "a change does not allow for clocks that differ": 540,
  "a trust ends only by the clock": 360,
  "the tokens of a trust are not ended": 223,
};

/** Maximum number of schedules in the search for a bug. */
const schedules = 150;

const find = (plant: string) =>
  withVirtualGlobals(async () => {
    if (inSmallScope.includes(plant)) return (await explore({ from: 0, to: schedules, orders: 1, plant })).failure;
    const from = firstSeeds[plant] ?? 1;
    return (await explore({ from, to: from + schedules, plant })).failure;
  });

const scope = { tokens: 2, requests: 2 };
const { states } = exploreStates(scope);

// A search ends after a number of schedules, however long they take.
describe("finds a planted bug", { timeout: 600_000 }, () => {
  test.each(Object.keys(plants))("%s", async (plant) => {
    const found = inLifeCycle.includes(plant)
      ? (await replayStates(states, { scope, isComplete: false, plant })).difference
      : await find(plant);
    expect(found).toBeDefined();
  });

  test("from every listed starting point, each of which names a bug", () => {
    expect(Object.keys(plants)).toEqual(
      expect.arrayContaining([...Object.keys(firstSeeds), ...inLifeCycle, ...inSmallScope]),
    );
  });
});

test("rejects a plant whose original text is no longer in the sources", async () => {
  const outdated = { bug: [{ text: "no such text", by: "" }] };
  await expect(buildWithPlant(outdated, "bug", async () => {})).rejects.toThrow("Correct the plant:\nno such text");
});

test("reports a failure as the smallest schedule that fails in the same way, with the command that replays it", async () => {
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
