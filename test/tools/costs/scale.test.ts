import { describe, expect, inject, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { storeNames } from "../../../lambdas/resources/stores.ts";
import {
  billOfCalls,
  billOfColdStarts,
  billOfCounting,
  billOfLook,
  callUnits,
  meteredCalls,
  monthlyBill,
  totalOf,
} from "../../../tools/costs/estimate.ts";
import { limitsAt } from "../../../tools/costs/limits.ts";
import { prices } from "../../../tools/costs/prices.ts";
import { readTemplateFigures } from "../../../tools/costs/template-figures.ts";
import { scaleDocument } from "../../../tools/costs/write-scale.ts";
import { synthesiseTemplates } from "../../support/option-sets.ts";

const figures = await readTemplateFigures(inject("assemblyDirectory"));
const anyCall = { milliseconds: 4, logBytes: 200, answerBytes: 500 };
const measured = {
  machine: "any",
  endpoints: Object.fromEntries(operationsOf(api).map(({ functionName }) => [functionName, anyCall])),
  variants: [{ endpoint: "v1-list-keys", header: "Accept-Encoding: br", ...anyCall, answerBytes: 100 }],
};
const units = callUnits(measured, figures);
const unitsOf = (name: string) => units.filter((unit) => unit.name === name);

test("the document has a row for each endpoint, and all its figures are numbers", () => {
  const document = scaleDocument(measured, figures);

  for (const { name } of units) expect(document).toContain(`| \`${name}\` | $`);
  expect(document).toMatch(/\| `v1-list-keys` \| `Accept-Encoding: br` \| .* \| \d+ % \|/);
  expect(document).not.toMatch(/NaN|undefined|Infinity/);
});

test("an endpoint that was not measured is reported, with the command that measures it", () => {
  const { [units[0]?.name ?? ""]: _, ...others } = measured.endpoints;

  expect(() => callUnits({ ...measured, endpoints: others }, figures)).toThrow(
    `${units[0]?.name} was not measured: run npm run measure.`,
  );
});

describe("a bill", () => {
  test("applies each price tier to the quantity within it", () => {
    expect(prices.httpApiCall(300e6)).toBeCloseTo(300, 6);
    expect(prices.httpApiCall(400e6)).toBeCloseTo(390, 6);
    expect(prices.transferGigabyte(20_480)).toBeCloseTo(10_240 * 0.09 + 10_240 * 0.085, 6);
  });

  test("counts a response of API Gateway by 512 KB, and the start of an environment", () => {
    expect([0, 512 * 1024, 512 * 1024 + 1, 4 * 1024 ** 2].map(meteredCalls)).toEqual([1, 1, 2, 8]);
    expect(billOfColdStarts(1e6, figures)).toBeCloseTo((1e6 * 0.138 * 512 * 1.33334e-5) / 1024, 2);
  });

  test("counts the DynamoDB units of each call: the look-up of the token, the endpoint's own work and the index of changes", () => {
    expect(unitsOf("v1-get-token")).toMatchObject([{ reads: 1, writes: 0 }]);
    expect(unitsOf("v1-get-key")).toMatchObject([{ reads: 2, writes: 0 }]);
    expect(unitsOf("v1-create-key")).toMatchObject([{ reads: 1, writes: 1, indexWrites: 1 }]);
    expect(unitsOf("v1-replace-key")).toMatchObject([{ reads: 1, writes: 1, indexWrites: 2 }]);
    expect(unitsOf("v1-delete-key")).toMatchObject([{ reads: 1, writes: 1, indexWrites: 2 }]);
    // A hundred keys of 281 bytes, each with a history entry for its creation.
    expect(unitsOf("v1-list-keys")).toMatchObject([{ reads: 8, writes: 0 }]);
    expect(unitsOf("v1-redeem-invitation")).toMatchObject([{ reads: 1, writes: 1, indexWrites: 2 }]);
    expect(unitsOf("v1-rotate-token")).toMatchObject([{ reads: 1, writes: 2, indexWrites: 3 }]);
  });

  test("of a month has the ordinary calls alone, not those with which clients change their tokens", () => {
    const ordinary = units.filter(({ isOrdinary }) => isOrdinary).map(({ name }) => name);

    expect(ordinary).toEqual(expect.arrayContaining(["v1-create-key", "v1-get-token"]));
    for (const name of ["move", "redeem", "revoke", "rotate"]) expect(ordinary.join(" ")).not.toContain(`-${name}-`);
  });

  test("is at least the price of the number of calls", () => {
    for (const { name } of units) expect(totalOf(billOfCalls(1e6, unitsOf(name)))).toBeGreaterThan(1.2);
  });

  test("includes the counting of use, which costs more the more an hour contains already", () => {
    const [least = 0, most = 0] = [1, 5].map((writes) => totalOf(billOfCounting(1e6, units, writes)));

    expect(least).toBeGreaterThan(0.8);
    expect(most).toBeCloseTo(least + 4 * 0.625, 6);
    expect(totalOf(billOfCounting(1e6, units))).toBe(most);
    expect(scaleDocument(measured, figures)).toContain("For counting the use of tokens");
  });

  test("has a fixed part of at most $8.30 a month in production, $0.50 for each table, and $0.70 for each endpoint", () => {
    const endpoints = operationsOf(api).length;

    expect(figures.customMetrics).toBeGreaterThan(endpoints);
    expect(Math.round(totalOf(monthlyBill(figures)) * 100)).toBeLessThanOrEqual(
      830 + 50 * storeNames.length + 70 * endpoints,
    );
  });

  test("has the queries of the dashboard apart, which run only if somebody opens it", () => {
    expect(figures.dashboardQueries).toBe(5);
    expect(billOfLook(1e8, units, figures)).toBeGreaterThan(0);
  });

  test("has no monthly costs for a stage without monitoring", async () => {
    const dev = await readTemplateFigures(await synthesiseTemplates({ stage: "dev" }));

    expect(totalOf(monthlyBill(dev))).toBe(0);
    expect(totalOf(monthlyBill(figures))).toBeGreaterThan(0);
  });
});

test("the nearest limit comes first", () => {
  const shares = limitsAt(1e9, units).map(({ need, limit }) => need / limit);

  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
});
