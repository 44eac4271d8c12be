import fc from "fast-check";
import { expect, test } from "vitest";
import {
  comesAfter,
  formatEntry,
  positionOf,
  type RecordedChange,
} from "../../../../lambdas/domain/history/change-entry.ts";
import { type ChangeSource, recentChanges } from "../../../../lambdas/domain/history/recent-changes.ts";
import type { Item } from "../../../../lambdas/dynamodb/records.ts";
import { toTime } from "../../../../lambdas/dynamodb/times.ts";
import { author } from "../../../support/authors.ts";

interface Key {
  id: string;
  times: number[];
}

const times = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 });
const keysInShards = fc
  .array(fc.array(times, { maxLength: 60 }), { minLength: 1, maxLength: 3 })
  .map((shards) => shards.map((keys, shard) => keys.map((times, index): Key => ({ id: `${shard}-${index}`, times }))));
/** Creates this many keys, each changed at the times that follow from its number. */
const keysWith = (count: number, timesOf: (index: number) => number[]) =>
  Array.from({ length: count }, (_, index): Key => ({ id: `${index}`, times: timesOf(index) }));

const latest = ({ times }: Key) => Math.max(...times);

const itemOf = (key: Key): Item => ({
  key_id: { S: key.id },
  updated_at: { S: toTime(latest(key)) },
  history: { SS: key.times.map((time) => formatEntry(toTime(time), { kind: "replaced", author })) },
});

/** Reads a shard like DynamoDB: in steps, latest change first. */
const sourceOf = (keys: Key[]): ChangeSource => {
  const items = keys.toSorted((one, other) => latest(other) - latest(one)).map(itemOf);
  return {
    shard: "0",
    subjectOf: ({ key_id }) => ({ token_id: null, key_id: key_id?.S ?? "" }),
    changedAt: ({ updated_at }) => updated_at?.S ?? "",
    async changed({ since = "", limit, after }) {
      const start = Number(after?.index?.N ?? 0);
      const found = items.filter(({ updated_at }) => (updated_at?.S ?? "") >= since);
      const isLast = start + limit >= found.length;
      const next = { index: { N: String(start + limit) } };
      return { items: found.slice(start, start + limit), ...(!isLast && { next }) };
    },
  };
};

test("every change appears exactly once across all pages, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(keysInShards, fc.integer({ min: 1, max: 30 }), async (shards, limit) => {
      const found: RecordedChange[] = [];
      for (let isMore = true; isMore; ) {
        const last = found.at(-1);
        const isWanted = (change: RecordedChange) => last === undefined || comesAfter(change, positionOf(last));
        const page = await recentChanges(shards.map(sourceOf), { limit, isWanted });
        found.push(...(page?.changes ?? []));
        isMore = page?.hasMore ?? false;
      }
      const foundTimes = found.map(({ time }) => time);
      expect(foundTimes).toEqual(foundTimes.toSorted().toReversed());
      const all = shards.flat().flatMap(({ id, times }) => times.map((time) => `${toTime(time)} ${id}`));
      expect(found.map(({ time, subject }) => `${time} ${subject.key_id}`).toSorted()).toEqual(all.toSorted());
    }),
    // Many records that changed at the same time, over several steps.
    { numRuns: 60, examples: [[[keysWith(60, () => [1])], 10]] },
  );
});

const isWanted = () => true;

test("reads only a few records to find the newest changes among many", async () => {
  const keys = keysWith(2_000, (index) => [index, index + 1]);
  const found = await recentChanges([sourceOf(keys)], { limit: 20, isWanted });
  expect(found?.changes).toHaveLength(20);
  expect(found).toMatchObject({ hasMore: true, examined: 25 });
});

test("does not read records that were last changed before the requested time", async () => {
  const since = toTime(490);
  const keys = keysWith(500, (index) => [index]);
  const found = await recentChanges([sourceOf(keys)], { limit: 100, since, isWanted: ({ time }) => time >= since });
  expect(found).toMatchObject({ hasMore: false, examined: 10 });
});

test("rejects a history that is too long to read at once instead of truncating it", async () => {
  let read = 0;
  const item = { updated_at: { S: toTime(1) } };
  const changed: ChangeSource["changed"] = async ({ limit }) => {
    read += limit;
    return { items: Array(limit).fill(item), ...(read < 200_000 && { next: item }) };
  };
  expect(await recentChanges([{ ...sourceOf([]), changed }], { limit: 1, isWanted })).toBeUndefined();
  expect([read > 100_000, read < 103_000]).toEqual([true, true]);
});

test("returns a change once even if it is stored in two places", async () => {
  const keys = keysWith(1, () => [1, 2]);
  const found = await recentChanges([sourceOf(keys), sourceOf(keys)], { limit: 10, isWanted });
  expect(found?.changes).toHaveLength(2);
});
