import { expect, test } from "vitest";
import { versionPath } from "../../../../lambdas/addresses.ts";
import { api } from "../../../../lambdas/api.ts";
import { operationsOf } from "../../../../lambdas/declaration/operations.ts";
import { expiringAt, rotationCall } from "../../../../lambdas/resources/tokens/life-cycle.ts";
import { rotateToken } from "../../../../lambdas/v1/rotate-token.ts";

const now = Date.parse("2026-11-21T10:15:30.123Z");
const at = (expires_at: string) => expiringAt({ expires_at }, now);

test.for([
  ["9999-12-31T23:59:59.999Z", undefined],
  ["2026-12-21T10:15:30.124Z", undefined],
  ["2026-12-21T10:15:30.123Z", 30],
  ["2026-12-21T10:15:30.122Z", 29],
  ["2026-11-22T10:15:30.123Z", 1],
  ["2026-11-22T10:15:30.122Z", 0],
  ["2026-11-21T10:15:30.124Z", 0],
  // A request may arrive before the end and get its response after it.
  ["2026-11-21T10:15:30.100Z", 0],
] as const)("the end is announced from 30 days before it on, with the whole days that are left: %s", ([end, days]) => {
  expect(at(end)?.days).toBe(days);
});

test("a token without an end is not announced", () => {
  expect(expiringAt({}, now)).toBeUndefined();
});

test("a token is told how to rotate, unless it has a successor, or one would end with it", () => {
  const expires_at = "2026-11-22T10:15:30.123Z";
  expect(at(expires_at)).toEqual({ expires_at, days: 1, rotation: rotationCall });
  for (const more of [{ successor_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B" }, { end_set_at: expires_at }])
    expect(expiringAt({ expires_at, ...more }, now)).toEqual({ expires_at, days: 1, rotation: null });
});

test("the announced call is the one that rotates tokens in the newest version", () => {
  const newest = operationsOf(api).findLast(({ endpoint }) => endpoint === rotateToken);
  expect(rotationCall).toBe(`${rotateToken.method} ${versionPath(String(newest?.version), rotateToken.path)}`);
});
