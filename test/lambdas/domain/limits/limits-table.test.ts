import fc from "fast-check";
import { expect, test } from "vitest";
import { limits as declaration } from "../../../../lambdas/domain/limits/limits-table.ts";
import type { Item } from "../../../../lambdas/dynamodb/records.ts";
import { minuteOf, secondsToNextMinute } from "../../../../lambdas/middlewares/limit-rate.ts";
import { absentId } from "../../../kit/support/tokens.ts";
import { clientReturning, loseNextResponse } from "../../support/client-requests.ts";
import { apiErrorOf } from "../../support/outcomes.ts";
import { openTestStore } from "../../support/stores.ts";

const { store: limits, client, open, itemOf } = await openTestStore(declaration);
const minute = "2026-11-21T10:15Z";

/** Returns the numbers of the admitted requests among many simultaneous ones, in order. */
const takeMany = async (tokenId: string, limit: number, times: number): Promise<number[]> => {
  const taken = await Promise.all(Array.from({ length: times }, () => limits.take(tokenId, { minute, limit })));
  return taken.filter((number) => number !== undefined).toSorted((one, other) => one - other);
};
const upTo = (limit: number) => Array.from({ length: limit }, (_, index) => index + 1);

test.for([
  [7, 60],
  [40, 40],
] as const)("admits exactly %i of %i simultaneous requests, each with a unique number", async ([limit, times]) => {
  expect(await takeMany(absentId(), limit, times)).toEqual(upTo(limit));
});

test("each token has its own allowance for each minute", async () => {
  const [one, other] = [absentId(), absentId()];
  expect(await limits.take(one, { minute, limit: 1 })).toBe(1);
  expect(await limits.take(one, { minute, limit: 1 })).toBeUndefined();
  expect(await limits.take(other, { minute, limit: 1 })).toBe(1);
  expect(await limits.take(one, { minute: "2026-11-21T10:16Z", limit: 1 })).toBe(1);
});

test("a raised allowance admits additional requests, and one lowered below its count admits no more", async () => {
  const tokenId = absentId();
  await takeMany(tokenId, 2, 10);
  expect(await takeMany(tokenId, 5, 10)).toEqual([3, 4, 5]);
  expect(await limits.take(tokenId, { minute, limit: 3 })).toBeUndefined();
});

test("requests of one environment share a counter that is kept for an hour", async () => {
  const tokenId = absentId();
  const store = open(client);
  for (const number of upTo(3)) expect(await store.take(tokenId, { minute, limit: 3 })).toBe(number);
  const { delete_at, ...counter } = await itemOf({ minute_id: `${tokenId}/${minute}` });
  expect(delete_at?.N).toBe(String(Date.parse("2026-11-21T11:15:00Z") / 1000));
  const numbers = Object.entries(counter).filter(([name]) => name.startsWith("by_"));
  expect(numbers.map(([, number]) => number)).toEqual([{ N: "3" }]);
});

test("a request whose response is lost is counted once, and admitted", async () => {
  const tokenId = absentId();
  loseNextResponse(client);
  expect(await open(client).take(tokenId, { minute, limit: 3 })).toBe(1);
  expect(await takeMany(tokenId, 3, 10)).toEqual([2, 3]);
});

test.for<[string, Item, string, string?]>([
  ["its count is missing", {}, "The item's taken is missing."],
  [
    "more was counted than any limit allows",
    { taken: { N: "100001" } },
    "The item's taken must be a whole number from 1 to 100000.",
  ],
  ["the request was not counted", { taken: { N: "1" } }, "The update cannot have left this counter.", "7"],
])("rejects a counter that no update can have produced: %s", async ([, attributes, problem, number = "1"]) => {
  // An environment's first request stores its number in an attribute with a random name.
  const client = clientReturning((input) => {
    const [name = ""] = /by_\w+/.exec(JSON.stringify(input)) ?? [];
    return { Attributes: { ...attributes, [name]: { N: number } } };
  });
  const error = await apiErrorOf(open(client).take(absentId(), { minute, limit: 3 }));
  expect(error).toMatchObject({ code: "unavailable", cause: { message: expect.stringContaining(problem) } });
});

test("a minute of the clock is stored in the limit store's format", () => {
  expect(minuteOf(Date.parse("2026-11-21T10:15:59.999Z"))).toBe("2026-11-21T10:15Z");
  expect(minuteOf(Date.parse("2026-11-21T10:16:00.000Z"))).toBe("2026-11-21T10:16Z");
  expect(declaration.example.minute_id).toMatch(/^[0-9A-Z]{26}\/\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
});

test("a minute of the clock ends after the announced number of seconds, not earlier", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.parse("2099-12-31T23:59:59.999Z") }), (now) => {
      const end = now + secondsToNextMinute(now) * 1000;
      expect(minuteOf(end)).not.toBe(minuteOf(now));
      expect(minuteOf(end - 1_001)).toBe(minuteOf(now));
    }),
  );
});
