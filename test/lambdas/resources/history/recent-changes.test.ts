import fc from "fast-check";
import { expect, test } from "vitest";
import { toTime } from "../../../../lambdas/dynamodb/formats.ts";
import type { Item } from "../../../../lambdas/dynamodb/records.ts";
import {
  comesAfter,
  formatEntry,
  positionOf,
  type RecordedChange,
} from "../../../../lambdas/resources/history/change-entry.ts";
import { type ChangeSource, recentChanges } from "../../../../lambdas/resources/history/recent-changes.ts";
import { author } from "../../../support/authors.ts";

interface Key {
  id: string;
  times: number[];
}

const keysInShards = fc
  .array(fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 }), { maxLength: 60 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((shards) =>
    shards.map((keys, shard) =>
      keys.map((times, index): Key => ({ id: `${shard}-${index}`, times: times.toSorted() })),
    ),
  );

const latest = ({ times }: Key) => Math.max(...times);

const itemOf = (key: Key): Item => ({
  key_id: { S: key.id },
  updated_at: { S: toTime(latest(key)) },
  history: { SS: key.times.map((time) => formatEntry(toTime(time), { kind: "replaced", author })) },
});

/** A shard as DynamoDB reads it: in steps, the last change first. */
const sourceOf = (keys: Key[]): ChangeSource & { steps: () => number } => {
  const items = keys.toSorted((one, other) => latest(other) - latest(one)).map(itemOf);
  let steps = 0;
  return {
    shard: "0",
    steps: () => steps,
    subjectOf: ({ key_id }) => ({ token_id: null, key_id: key_id?.S ?? "" }),
    changedAt: ({ updated_at }) => updated_at?.S ?? "",
    async changed({ since = "", limit, after }) {
      steps += 1;
      const start = Number(after?.index?.N ?? 0);
      const found = items.filter(({ updated_at }) => (updated_at?.S ?? "") >= since);
      const step = found.slice(start, start + limit);
      const isLast = start + limit >= found.length;
      return { items: step, ...(!isLast && { next: { index: { N: String(start + limit) } } }) };
    },
  };
};

const everything = (shards: Key[][]) =>
  shards.flat().flatMap(({ id, times }) => times.map((time) => `${toTime(time)} ${id}`));

const nameOf = ({ time, subject }: RecordedChange) => `${time} ${subject.key_id}`;

test("page after page, every change appears exactly once, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(keysInShards, fc.integer({ min: 1, max: 30 }), async (shards, limit) => {
      const pages: RecordedChange[] = [];
      for (let isMore = true; isMore; ) {
        const last = pages.at(-1);
        const found = await recentChanges(shards.map(sourceOf), {
          limit,
          isWanted: (change) => last === undefined || comesAfter(change, positionOf(last)),
        });
        pages.push(...(found?.changes ?? []));
        isMore = found?.hasMore ?? false;
      }
      expect(pages.map(({ time }) => time)).toEqual(
        pages
          .map(({ time }) => time)
          .toSorted()
          .toReversed(),
      );
      expect(pages.map(nameOf).toSorted()).toEqual(everything(shards).toSorted());
    }),
    { numRuns: 60 },
  );
});

test("the newest changes of many records need few of them", async () => {
  const keys = Array.from({ length: 20_000 }, (_, index): Key => ({ id: `${index}`, times: [index, index + 1] }));
  const found = await recentChanges([sourceOf(keys)], { limit: 20, isWanted: () => true });
  expect(found?.changes).toHaveLength(20);
  expect(found?.hasMore).toBe(true);
  expect(found?.examined).toBe(25);
});

test("no record is read that was last changed before the requested time", async () => {
  const keys = Array.from({ length: 5_000 }, (_, index): Key => ({ id: `${index}`, times: [index] }));
  const found = await recentChanges([sourceOf(keys)], {
    limit: 100,
    since: toTime(4_990),
    isWanted: ({ time }) => time >= toTime(4_990),
  });
  expect(found).toMatchObject({ hasMore: false, examined: 10 });
});

test("a history that is too long to be read at once is refused rather than cut short", async () => {
  const keys = Array.from({ length: 101_000 }, (_, index): Key => ({ id: `${index}`, times: [index] }));
  expect(await recentChanges([sourceOf(keys)], { limit: 1, isWanted: () => false })).toBeUndefined();
});

test("a change that is found in two places is one change", async () => {
  const keys = [{ id: "moved", times: [1, 2] }];
  const found = await recentChanges([sourceOf(keys), sourceOf(keys)], { limit: 10, isWanted: () => true });
  expect(found?.changes).toHaveLength(2);
});
