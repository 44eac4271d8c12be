import { expect, inject, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { storeNames } from "../../lambdas/resources/stores.ts";
import { callsOf } from "../../tools/costs/calls.ts";
import { prices } from "../../tools/costs/prices.ts";
import { billOfMonth, meteredCalls, readStacks, scaleTables, totalOf } from "../../tools/costs/scale.ts";
import { synthesiseTemplates } from "../support/stages.ts";

const anyCall = { milliseconds: 4, logBytes: 200, answerBytes: 500 };
const names = operationsOf(api).map(({ functionName }) => functionName);
const measured = {
  machine: "any",
  endpoints: Object.fromEntries(names.map((name) => [name, anyCall])),
  variants: [{ endpoint: "v1-list-keys", header: "Accept-Encoding: br", ...anyCall, answerBytes: 100 }],
};
const stacks = await readStacks(inject("assemblyDirectory"));
const calls = callsOf(measured);

test("the tables have a row for each endpoint and for each header that saves something, and all figures are numbers", () => {
  const { calls: rows = "", ...others } = scaleTables(measured, stacks);

  for (const name of [...names, "v1-list-keys, Accept-Encoding: br"])
    expect(rows).toContain(`| \`${name}\` | $1.00 | `);
  expect([rows, ...Object.values(others)].join("\n")).not.toMatch(/NaN|undefined|Infinity/);
});

// A list has a hundred keys of 281 bytes, each with a history entry for its creation.
test.each([
  ["v1-get-token", { reads: 1, writes: 0, indexWrites: 0 }],
  ["v1-get-key", { reads: 2, writes: 0, indexWrites: 0 }],
  ["v1-list-keys", { reads: 8, writes: 0, indexWrites: 0 }],
  ["v1-create-key", { reads: 1, writes: 1, indexWrites: 1 }],
  ["v1-replace-key", { reads: 1, writes: 1, indexWrites: 2 }],
  ["v1-delete-key", { reads: 1, writes: 1, indexWrites: 2 }],
  ["v1-redeem-invitation", { reads: 1, writes: 1, indexWrites: 2 }],
  ["v1-rotate-token", { reads: 1, writes: 2, indexWrites: 3 }],
])("%s takes units for looking up the token, for its own work and for the index of changes", (name, units) => {
  expect(calls.find((call) => call.name === name)).toMatchObject(units);
});

test("a month has the ordinary calls alone, not those with which clients change their tokens", () => {
  const unusual = calls.filter(({ isOrdinary }) => !isOrdinary).map(({ name }) => name.split("-")[1]);

  expect(unusual.toSorted()).toEqual(["move", "redeem", "revoke", "rotate"]);
});

test("prices apply to the quantity within each tier, and to each 512 KB of a response", () => {
  expect(prices.httpApiCalls(400e6)).toBeCloseTo(300 + 90, 6);
  expect(prices.transferGigabytes(20_480)).toBeCloseTo(10_240 * 0.09 + 10_240 * 0.085, 6);
  expect([0, 512 * 1024, 512 * 1024 + 1, 4 * 1024 ** 2].map(meteredCalls)).toEqual([1, 1, 2, 8]);
});

test("production has fixed costs of at most $8.30 a month, $0.50 for each table and $0.70 for each endpoint; dev has none", async () => {
  const fixedCosts = (of: typeof stacks) => totalOf(billOfMonth(0, calls, of).fixed);
  const dev = await readStacks(await synthesiseTemplates({ stage: "dev" }));

  expect(Math.round(fixedCosts(stacks) * 100)).toBeLessThanOrEqual(830 + 50 * storeNames.length + 70 * names.length);
  expect(stacks.customMetrics).toBeGreaterThan(names.length);
  expect([fixedCosts(stacks) > 0, fixedCosts(dev)]).toEqual([true, 0]);
});
