import { describe, expect, test } from "vitest";
import { explore, failureReport, kindOf, shrinkFailure } from "../../../tools/simulation/explore.ts";
import type { CreatePlant } from "../../../tools/simulation/functions.ts";
import { replayStates } from "../../../tools/simulation/life-cycle/replay.ts";
import { exploreStates } from "../../../tools/simulation/life-cycle/states.ts";
import { plants } from "../../../tools/simulation/plants/plants.ts";
import { withVirtualGlobals } from "../../../tools/simulation/world/virtual-globals.ts";

/** The bugs that differ from the model of a token's life. All others are found in random schedules. */
const inLifeCycle: readonly string[] = [
  "a confirmation ignores the address",
  "a text can be derived after its first use",
  "a rejected request can still be fulfilled",
  "a use leaves what the text can be derived from",
  "attempts are not counted",
  "a confirmation ignores the code",
  "a text is repeated after its time",
  "an address is given the code of another one",
];

/** The first seed of the search for a rare bug. A search from the first of all seeds would find it, too. */
const firstSeeds: Readonly<Record<string, number>> = {
  "a notice that may have arrived is sent again": 267,
  "a notice that was refused is forgotten": 327,
  "nobody is told what may not have arrived": 267,
  "a late issue revives a revoked token": 101,
  "a late replacement undoes a later one": 98,
  "a late creation brings a deleted key back": 334,
  "an invitation is used twice": 101,
  "a move leaves the old token active": 263,
  "a decision that came second is acknowledged": 1043,
  "a creation is forgotten when a history makes room": 31,
  "a key that is created again keeps the end of its tombstone": 526,
  "a rotation ignores an edit that came first": 1351,
  "a dismissal forgets another one": 298,
  "a revocation forgets a successor that is being made": 1352,
  "a condition is not read": 376,
  "a repeated attempt is counted twice": 240,
  "a repeated delivery is counted twice": 33,
  "a late rotation revives a revoked successor": 521,
  "a late change of a limit undoes a later one": 283,
  "a token moves without a confirmation": 263,
  "a shorter grace does not end the old token sooner": 473,
  "a token cannot be revoked from elsewhere": 41,
  "a rotation that fails twice revokes the successor": 59,
  "a rotation is dated before an edit that it follows": 437,
  "a replaced token is not revoked": 59,
  "an entry is lost when a history makes room": 31,
  "an entry is added again after a lost answer": 976,
  "a deletion leaves nothing": 92,
  "a change does not compare before it sets": 69,
  "a change may be younger than clocks and calls allow": 1292,
  "a token is rotated twice": 1351,
  "the end of a rotated token is moved": 189,
  "a token is revoked twice": 124,
  "an update revives a revoked token": 283,
  "an end that an admin has set is not read": 384,
  "a list shows deleted keys": 98,
  "a text that has ended is counted": 59,
  "a failed revocation is answered as done": 306,
};

/** The most schedules that the search for a bug may need. */
const schedules = 150;

const find = (name: string, plant: CreatePlant | undefined) =>
  withVirtualGlobals(async () => {
    const from = firstSeeds[name] ?? 1;
    return (await explore({ from, to: from + schedules }, plant)).failure;
  });

const scope = { tokens: 2, requests: 2 };
const { states } = exploreStates(scope);

// A search ends after a number of schedules, however long they take.
describe("a planted bug is found", { timeout: 600_000 }, () => {
  test.each(Object.entries(plants))("%s", async (name, plant) => {
    const isInLifeCycle = inLifeCycle.includes(name);
    const found = isInLifeCycle
      ? (await replayStates(states, { scope, isComplete: false, plant })).difference
      : await find(name, plant);
    expect(found).toBeDefined();
  });

  test("wherever its search begins: each of those names a bug", () => {
    expect(Object.keys(plants)).toEqual(expect.arrayContaining([...Object.keys(firstSeeds), ...inLifeCycle]));
  });
});

test("a failure is reported as the smallest schedule that fails in the same way, with the command that replays it", async () => {
  const name = "a creation overwrites a key";
  const failure = await find(name, plants[name]);
  if (!failure) throw new Error("The planted bug was not found.");
  const smallest = await withVirtualGlobals(() => shrinkFailure(failure, plants[name]));

  const size = ({ run }: typeof failure) => run.schedule.operations.length;
  expect(size(smallest)).toBeLessThan(size(failure));
  expect(smallest.problems.map(kindOf)).toContain(kindOf(failure.problems[0]));
  expect(failureReport(smallest, { plant: name })).toContain(
    `npm run lab -- simulation --seed ${failure.seed} --schedules 1 --plant "${name}"`,
  );
});
