import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as actions from "../../../../lambdas/admin/actions.ts";
import { calledEndpoints } from "../../../../tools/lab/simulation/calls.ts";
import { generateSchedule } from "../../../../tools/lab/simulation/generate.ts";
import { judge } from "../../../../tools/lab/simulation/judges/judge.ts";
import { generateRecordSchedule } from "../../../../tools/lab/simulation/records/generate.ts";
import { runSchedule } from "../../../../tools/lab/simulation/run-schedule.ts";
import { answerKinds } from "../../../../tools/lab/simulation/schedule.ts";
import { operations } from "../../../../tools/lab/simulation/service.ts";
import { withVirtualGlobals } from "../../../../tools/lab/simulation/world/virtual-globals.ts";

const hashOf = async (seed: number): Promise<string> => (await runSchedule(generateSchedule(seed))).chronicle.hash();

test("a seed always produces the same trace, whatever ran before", async () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  await withVirtualGlobals(async () => {
    const hashes = new Map<number, string>();
    for (const seed of seeds) hashes.set(seed, await hashOf(seed));
    for (const seed of seeds.toReversed()) expect(await hashOf(seed), `seed ${seed}`).toBe(hashes.get(seed));
    expect(new Set(hashes.values()).size).toBe(seeds.length);
  });
});

test("a seed produces the same trace in another process", async () => {
  const script = `
    import { generateSchedule } from "./tools/lab/simulation/generate.ts";
    import { runSchedule } from "./tools/lab/simulation/run-schedule.ts";
    import { withVirtualGlobals } from "./tools/lab/simulation/world/virtual-globals.ts";
    const { chronicle } = await withVirtualGlobals(() => runSchedule(generateSchedule(7)));
    console.log(chronicle.hash());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  expect(stdout.trim()).toBe(await withVirtualGlobals(() => hashOf(7)));
});

test("covers every key and token endpoint, every changing action and every kind of response", async () => {
  const called = operations.filter(({ operationId }) => calledEndpoints.includes(operationId));
  // These actions change nothing, and nothing that the simulation judges depends on them.
  const unused = ["address", "get_key", "get_trust", "history", "leaks", "list_trusts", "notices", "usage"];
  const missingTexts = new Set([
    ...called.map(({ endpoint, path }) => `"route":"${endpoint.method} ${path}"`),
    ...Object.keys(actions).flatMap((name) => (unused.includes(name) ? [] : [`"action":"${name}"`])),
  ]);
  const missingAnswers = new Set<string>(answerKinds);
  await withVirtualGlobals(async () => {
    for (let seed = 1; seed <= 150 && missingTexts.size + missingAnswers.size > 0; seed += 1) {
      const { schedule, chronicle } = await runSchedule(generateSchedule(seed));
      const trace = chronicle.lines().join("\n");
      for (const text of missingTexts) if (trace.includes(text)) missingTexts.delete(text);
      for (const { fates } of schedule.operations) for (const { answer } of fates) missingAnswers.delete(answer);
    }
  });
  expect([...missingTexts, ...missingAnswers]).toEqual([]);
});

test("covers every operation of record stores, and every outcome, without problems", async () => {
  const outcomes = [
    "created",
    "unchanged",
    "taken",
    "replaced",
    "updated",
    "changed",
    "refused",
    "not found",
    "deleted",
  ];
  const calls = ["get", "follow", "transaction", "create", "put", "update", "delete"];
  const missing = new Set([
    ...outcomes.map((outcome) => `"outcome":"${outcome}"`),
    ...calls.map((operation) => `"operation":"${operation}"`),
    "TransactionCanceledException",
    '"more":true',
    '"deleted_at"',
  ]);
  await withVirtualGlobals(async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const run = await runSchedule(generateRecordSchedule(seed));
      expect(judge(run), `seed ${seed}`).toEqual([]);
      const trace = run.chronicle.lines().join("\n");
      for (const text of missing) if (trace.includes(text)) missing.delete(text);
    }
  });
  expect([...missing]).toEqual([]);
});

test("does not replace the clock, timers and randomness of other code", async () => {
  const { Date: RealDate, setTimeout: realSetTimeout } = globalThis;
  await withVirtualGlobals(async () => {
    expect(Math.abs(Date.now() - RealDate.now())).toBeLessThan(60_000);
    expect(randomBytes(16)).not.toEqual(randomBytes(16));
    expect(new Date()).toBeInstanceOf(RealDate);
  });
  expect([globalThis.Date, globalThis.setTimeout]).toEqual([RealDate, realSetTimeout]);
});
