import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/api.ts";
import type { Case } from "../../tools/fuzz/support/case.ts";
import { anyCase, type Fuzzer, startFuzzer } from "../../tools/fuzz/support/fuzz.ts";

/*
 * Whatever the input, the functions answer as documented, keep their secrets, change nothing when they refuse a request, and
 * take no longer than a request may: see `support/invariants.ts`. The long run is `npm run fuzz`.
 */

const seeds = new URL("../../tools/fuzz/seeds/", import.meta.url);
const casesOfTheShortRun = 1_500;

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

/** What the short run has not reached yet: a success of each endpoint and action, and the limit at each endpoint. */
const notReached = (): string[] => {
  const functions = operationsOf(api).map(({ functionName }) => functionName);
  return [
    ...[...functions, ...Object.keys(actions)].filter((name) => !fuzzer.succeeded.has(name)),
    ...functions.map((name) => `${name} 429`).filter((name) => !fuzzer.tally.has(name)),
  ];
};

describe("the short run", () => {
  beforeAll(() => fuzzer.restore());

  test("violates no invariant", { timeout: 120_000 }, async () => {
    await fc.assert(fc.asyncProperty(anyCase, fuzzer.check), { numRuns: casesOfTheShortRun });
    // Chance may leave something out.
    for (let more = 0; more < 10 && notReached().length > 0; more += 1) {
      await fc.assert(fc.asyncProperty(anyCase, fuzzer.check), { numRuns: casesOfTheShortRun / 4 });
    }
  });

  // Cases that are always refused would prove little.
  test("gets a success from every endpoint and every action, and reaches the limit of a token at every endpoint", () => {
    expect(notReached()).toEqual([]);
  });
});
