import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Case } from "../../tools/fuzz/support/case.ts";
import { anyCase, type Fuzzer, startFuzzer } from "../../tools/fuzz/support/fuzz.ts";

/*
 * Whatever the functions are sent, they answer as the documentation has it, keep their secrets, change nothing that they
 * refuse, and take no longer than a request may: `support/invariants.ts`. The long run is `npm run fuzz`.
 */

const seeds = new URL("../../tools/fuzz/seeds/", import.meta.url);
const casesOfTheShortRun = 4_000;

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await startFuzzer(inject("assemblyDirectory"));
});
afterAll(() => fuzzer.close());

describe("a case that broke a promise once does so no more:", async () => {
  test.for(await readdir(seeds))("%s", async (file) => {
    const kept: Case = JSON.parse(await readFile(new URL(file, seeds), "utf8"));
    await fuzzer.restore();
    await fuzzer.check(kept);
  });
});

test("no case of the short run breaks a promise", { timeout: 120_000 }, async () => {
  await fuzzer.restore();
  await fc.assert(fc.asyncProperty(anyCase, fuzzer.check), { numRuns: casesOfTheShortRun });
  // Cases that never get past the door would prove little.
  const usual = ["v1-create-key 201", "v1-list-keys 200", "v1-replace-key 200", "admin 201", "site 200"];
  const limited = ["v1-create-key 429", "v1-list-keys 429"];
  for (const result of [...usual, ...limited]) {
    expect(fuzzer.tally.get(result), result).toBeGreaterThan(5);
  }
});
