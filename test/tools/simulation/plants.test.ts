import { describe, expect, test } from "vitest";
import { explore, kindOf, shrinkFailure } from "../../../tools/simulation/explore.ts";
import type { CreatePlant } from "../../../tools/simulation/open-functions.ts";
import { plants } from "../../../tools/simulation/plants/plants.ts";
import { failureReport } from "../../../tools/simulation/report.ts";
import { withVirtualGlobals } from "../../../tools/simulation/world/virtual-globals.ts";

/** The first seed of the search for a rare bug. A search from the first of all seeds would find it, too. */
const firstSeeds: Readonly<Record<string, number>> = {
  "a late issue revives a revoked token": 101,
  "a token cannot be revoked from elsewhere": 41,
  "a rotation that fails twice revokes the successor": 305,
  "a replaced token is not revoked": 59,
  "a use leaves what the text can be derived from": 29,
  "a late rotation revives a revoked successor": 521,
  "a late replacement undoes a later one": 376,
  "a late change of a limit undoes a later one": 283,
  "a change does not compare before it sets": 258,
  "a change may be younger than clocks and calls allow": 1292,
  "the time of a change does not move": 298,
  "a token is rotated twice": 1351,
  "a rotation ignores an edit that came first": 1351,
  "the end of a rotated token is moved": 189,
  "a dismissal forgets another one": 298,
  "a token is revoked twice": 124,
  "a revocation forgets a successor that is being made": 1352,
  "an update revives a revoked token": 1143,
  "an end that an admin has set is not read": 384,
  "a condition is not read": 376,
  "a failed revocation is answered as done": 977,
  "a text that has ended is counted": 173,
  "a repeated attempt is counted twice": 240,
  "a repeated delivery is counted twice": 33,
  "a deletion leaves nothing": 63,
  "a late creation brings a deleted key back": 63,
  "a replacement creates a key": 92,
  "a confirmation ignores the address": 311,
  "a confirmation ignores the code": 791,
  "a decision that came second is acknowledged": 1043,
  "a rotation is dated before an edit that it follows": 437,
  "a key that is created again keeps the end of its tombstone": 526,
  "a text is repeated after its time": 305,
  "an invitation is used twice": 101,
  "a move leaves the old token active": 263,
  "a token moves without a confirmation": 17,
  "a shorter grace does not end the old token sooner": 473,
  "an entry is lost when a history makes room": 31,
  "a creation is forgotten when a history makes room": 31,
  "an entry is added again after a lost answer": 976,
  "a rejected request can still be fulfilled": 113,
  "attempts are not counted": 125,
};

/** The most schedules that the search for a bug may need. */
const schedules = 150;

const find = (name: string, plant: CreatePlant | undefined) =>
  withVirtualGlobals(async () => {
    const from = firstSeeds[name] ?? 1;
    return (await explore({ from, to: from + schedules }, plant)).failure;
  });

// A search ends after a number of schedules, however long they take.
describe("a planted bug is found", { timeout: 600_000 }, () => {
  test.each(Object.entries(plants))("%s", async (name, plant) => {
    expect(await find(name, plant)).toBeDefined();
  });

  test("wherever its search begins: each of those names a bug", () => {
    expect(Object.keys(plants)).toEqual(expect.arrayContaining(Object.keys(firstSeeds)));
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
    `npm run simulate -- --seed ${failure.seed} --trace --plant "${name}"`,
  );
});
