import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import type { Case } from "../../tools/fuzz/support/case.ts";
import { callsPerMinute } from "../../tools/fuzz/support/fixtures.ts";
import { anyCase, type Fuzzer, startFuzzer } from "../../tools/fuzz/support/fuzz.ts";
import { limitedRequests } from "../../tools/fuzz/support/valid-requests.ts";

/*
 * Whatever the input, the functions answer as documented, keep their secrets, change nothing when they refuse a request, and
 * take no longer than a request may: see `support/invariants.ts`. The long run is `npm run fuzz`.
 */

const seeds = new URL("../../tools/fuzz/seeds/", import.meta.url);

/** Each starts with the same tokens and keys, because a request that deletes a key takes it away from the others. */
const roundsOfTheShortRun = 10;
const casesPerRound = 100;

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await startFuzzer(inject("assemblyDirectory"));
});
afterAll(() => fuzzer.close());

describe("a case that once violated an invariant no longer does:", async () => {
  test.for(await readdir(seeds))("%s", async (file) => {
    const kept: Case = JSON.parse(await readFile(new URL(file, seeds), "utf8"));
    await fuzzer.restore();
    await fuzzer.check(kept);
  });
});

const functions = operationsOf(api).map(({ functionName }) => functionName);

/** The endpoints and actions that have not succeeded yet. */
const notSucceeded = (): string[] =>
  [...functions, ...Object.keys(actions)].filter((name) => !fuzzer.succeeded.has(name));

describe("the short run", () => {
  const playRound = async () => {
    await fuzzer.restore();
    await fc.assert(fc.asyncProperty(anyCase, fuzzer.check), { numRuns: casesPerRound });
  };

  test("violates no invariant", async () => {
    for (let round = 0; round < roundsOfTheShortRun; round += 1) await playRound();
    // Chance may leave something out.
    for (let more = 0; more < 100 && notSucceeded().length > 0; more += 1) await playRound();
  });

  // Cases that are always refused would prove little.
  test("gets a success from every endpoint and every action", () => {
    expect(notSucceeded()).toEqual([]);
  });

  test("reaches the limit of a token at every endpoint", async () => {
    // At least half of the calls fall into the same minute.
    const calls = 2 * (callsPerMinute + 1);
    for (const request of limitedRequests.flatMap((limited) => Array<Case>(calls).fill(limited))) {
      await fuzzer.check(request);
    }
    expect(functions.filter((name) => !fuzzer.tally.has(`${name} 429`))).toEqual([]);
  });
});
