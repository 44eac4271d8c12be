import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { keys as keysTable } from "../../../lambdas/domain/keys/keys-table.ts";
import { liveShards, shardOfKey } from "../../../lambdas/dynamodb/change-history.ts";
import { changesOf, changesQuery } from "../../../lambdas/dynamodb/changes-query.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { recordTable } from "../../../lambdas/dynamodb/record-table.ts";
import { type Item, toItem } from "../../../lambdas/dynamodb/records.ts";
import { versionOf } from "../../../lambdas/dynamodb/versions.ts";
import { RecordRefused } from "../../../lambdas/shared/errors/record-refused.ts";
import { anyVersion, noVersion } from "../../../lambdas/shared/http/entity-tags.ts";
import { text, wholeNumber } from "../../../lambdas/shared/validation/fields.ts";
import { author } from "../../support/authors.ts";
import { clientReturning, noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

const name = text({ min: 1, max: 40 });
const schema = z.object({ parcel_id: name, number: wholeNumber({ min: 1, max: 99 }), customer_id: name, note: name });
const key = { partitionKey: "parcel_id", sortKey: "number", schema } as const;
const dividedTable = recordTable({ ...key, changes: { partition: ["customer_id"] } });

const database = useDatabase();
const { store: all, client, tableName } = await openTestStore(recordTable({ ...key, changes: true }), database);
const { store: divided } = await openTestStore(dividedTable, database);
const { store: keys, itemOf: keyItemOf } = await openTestStore(keysTable, database);

const days = (count: number) => count * 24 * 60 * 60 * 1000;

/** Sets the clock, and lets time pass. */
const useClock = () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);
};

const parcel = (parcel_id: string, customer_id = "acme") => ({ parcel_id, number: 1, customer_id, note: "new" });
const idOf = ({ parcel_id }: { parcel_id: string }) => ({ parcel_id, number: 1 });

/** Returns how long DynamoDB keeps an item. */
const secondsLeft = ({ delete_at }: Item) => Number(delete_at?.N) - Date.now() / 1000;

interface Page {
  changed: object[];
  deleted: object[];
  cursor: string;
  more: boolean;
}

/** Reads pages until there are no more, and returns what they have together. */
const follow = async (
  read: (request: { cursor?: string | undefined; limit: number }) => Promise<Page | undefined>,
  cursor?: string,
  limit = 1,
) => {
  const pages: Page[] = [];
  do pages.push((await read({ cursor: pages.at(-1)?.cursor ?? cursor, limit })) ?? expect.fail("expired"));
  while (pages.at(-1)?.more);
  const [changed, deleted] = [pages.flatMap((page) => page.changed), pages.flatMap((page) => page.deleted)];
  return { changed, deleted, cursor: pages.at(-1)?.cursor ?? "", pages: pages.length };
};

test("pages show each record's last change once, and deletions, half a minute later", async () => {
  const pass = useClock();
  for (const id of ["a", "b", "c"]) await all.create(parcel(id));
  expect(await follow(all.changes)).toMatchObject({ changed: [], deleted: [], pages: 1 });
  pass(30_001);
  const copy = await follow(all.changes);
  expect(copy.changed.toSorted(byId)).toEqual([
    expect.objectContaining(parcel("a")),
    expect.objectContaining(parcel("b")),
    expect.objectContaining(parcel("c")),
  ]);
  await all.update({ parcel_id: "a", number: 1 }, { note: "once" });
  await all.update({ parcel_id: "a", number: 1 }, { note: "twice" });
  await all.delete({ parcel_id: "b", number: 1 });
  const deleted_at = new Date().toISOString();
  expect(await follow(all.changes, copy.cursor)).toMatchObject({ changed: [], deleted: [], pages: 1 });
  pass(30_001);
  const next = await follow(all.changes, copy.cursor);
  expect(next).toMatchObject({
    changed: [{ parcel_id: "a", note: "twice" }],
    deleted: [{ ...idOf(parcel("b")), deleted_at }],
  });
  expect(z.parse(changesOf(dividedTable), { ...next, more: false })).toMatchObject({ deleted: next.deleted });
  expect(await follow(all.changes, next.cursor)).toMatchObject({ changed: [], deleted: [], pages: 1 });
  expect((await follow(all.changes)).deleted).toEqual([]);
});

const byId = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

test("a record that changes during a pass appears in the next pass, and does not stop or prolong the current one", async () => {
  const pass = useClock();
  const { store } = await openTestStore(recordTable({ ...key, changes: true }), database);
  for (let id = 0; id < 20; id += 1) await store.create(parcel(String(id)));
  pass(30_001);
  const seen: string[] = [];
  let page = await store.changes({ limit: 3 });
  for (let count = 0; page?.more && count < 30; count += 1) {
    seen.push(...page.changed.map(({ parcel_id, note }) => `${parcel_id} ${note}`));
    for (let id = 0; id < 20; id += 1) await store.update({ parcel_id: String(id), number: 1 }, { note: "changed" });
    pass(60_000);
    page = await store.changes({ limit: 3, cursor: page.cursor });
  }
  expect(page?.more).toBe(false);
  expect(new Set(seen).size).toBe(seen.length);
  expect((await follow(store.changes, page?.cursor, 7)).changed).toHaveLength(20);
});

test("a page reads at most `limit` items and each part of the index once, however much has changed", async () => {
  const pass = useClock();
  const { store, client } = await openTestStore(recordTable({ ...key, changes: true }), database);
  for (let id = 0; id < 60; id += 1) await store.create(parcel(String(id)));
  pass(30_001);
  const requests = noteRequests(client);
  const { cursor } = await follow(store.changes, undefined, 10);
  const copying = requests.splice(0);
  expect(copying.length).toBeLessThanOrEqual(8 + 60 / 10);
  pass(60_000);
  await follow(store.changes, cursor, 1000);
  expect(requests).toHaveLength(8);
});

test("a change appears once, whatever the millisecond in which a pass ends", async () => {
  const pass = useClock();
  for (const id of ["first", "same"]) await divided.create(parcel(id, "initech"));
  pass(1);
  await divided.create(parcel("next", "initech"));
  pass(29_999);
  const read = (request: object) => divided.changes({ customer_id: "initech" }, request);
  const { changed, cursor } = await follow(read);
  expect(changed.toSorted(byId)).toMatchObject([{ parcel_id: "first" }, { parcel_id: "same" }]);
  pass(1);
  expect((await follow(read, cursor)).changed).toMatchObject([{ parcel_id: "next" }]);
});

test("a page ends before its response becomes too large", async () => {
  const pass = useClock();
  const large = z.object({ ...schema.shape, note: text({ min: 1, max: 300_000 }) });
  const { store } = await openTestStore(recordTable({ ...key, schema: large, changes: true }), database);
  // Two of each shard, so that DynamoDB does not end the page before that.
  const ids = Array.from({ length: 200 }, (_, id) => String(id));
  const chosen = liveShards.flatMap((shard) => ids.filter((id) => shardOfKey([id, 1]) === shard).slice(0, 2));
  for (const id of chosen) await store.create({ ...parcel(id), note: "n".repeat(300_000) });
  pass(30_001);
  expect((await store.changes())?.changed.length).toBeLessThan(16);
  const { changed } = await follow(store.changes, undefined, 1000);
  expect(changed.map((record) => Reflect.get(record, "parcel_id")).toSorted()).toEqual(chosen.toSorted());
});

test("a response with a record of another partition is a failure", async () => {
  useClock()(60_000);
  const Items = [toItem({ ...parcel("x", "globex"), created_at: "2026-11-21T10:15:30.123Z" })];
  const store = openStore(dividedTable, { client: clientReturning(() => ({ Items })), tableName: "parcels" });
  await expect(store.changes({ customer_id: "acme" })).rejects.toMatchObject({ code: "unavailable" });
});

test("cursors are rejected if they are 30 days old, from the future, from elsewhere, or incomplete", async () => {
  const pass = useClock();
  for (const id of ["x", "y", "z"]) await divided.create(parcel(id));
  await divided.create(parcel("other", "globex"));
  pass(30_001);
  const [acme, globex] = [{ customer_id: "acme" }, { customer_id: "globex" }];
  const first = await divided.changes(acme, { limit: 1 });
  const { cursor } = (await divided.changes(acme)) ?? expect.fail("expired");
  const cursors = [first?.cursor ?? "", cursor];
  for (const one of cursors) {
    expect(await divided.changes(globex, { cursor: one })).toBeUndefined();
    expect(await all.changes({ cursor: one })).toBeUndefined();
    expect(await divided.changes(acme, { cursor: one.slice(1) })).toBeUndefined();
    pass(-60_000);
    expect(await divided.changes(acme, { cursor: one })).toBeUndefined();
    pass(60_000 + days(30) - 60_000);
    expect(await divided.changes(acme, { cursor: one })).toBeDefined();
    pass(60_000);
    expect(await divided.changes(acme, { cursor: one })).toBeUndefined();
    pass(-days(30));
  }
  const parts: unknown[] = JSON.parse(Buffer.from(first?.cursor ?? "", "base64url").toString());
  const [feed, since, until, place, after] = parts;
  const forged = [
    [feed, since, until, 1, null],
    [feed, since, until, -1, null],
    [feed, since, until, place, "x"],
    [feed, since, until, place, JSON.stringify(["x", "1", "2999-01-01T00:00:00.000Z"])],
    [feed, since, 1e300, place, null],
    [feed, until, since, place, null],
    [feed, since, until, place, after, 1],
    { feed },
  ].map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"));
  for (const one of forged) expect(await divided.changes(acme, { cursor: one })).toBeUndefined();
  const accepts = (one: string) => z.safeParse(changesQuery(dividedTable), { cursor: one }).success;
  expect(cursors.map(accepts)).toEqual([true, true]);
  expect(["", "x", "…", ...forged.slice(-4)].map(accepts)).toEqual(Array(7).fill(false));
});

test("each value of a field has its own changes, so the field never changes, not even after a deletion", async () => {
  const pass = useClock();
  const { store, itemOf: movedItem } = await openTestStore(dividedTable, database);
  const refused = (field: string) =>
    expect.objectContaining({ fields: { [field]: [expect.stringMatching(/^The customer_id .* cannot change/)] } });
  const moved = parcel("p", "globex");
  await store.create(parcel("p"));
  await expect(store.put(moved)).rejects.toThrow(RecordRefused);
  await expect(store.update(idOf(moved), { customer_id: "globex" })).rejects.toEqual(refused("customer_id"));
  expect(await store.create(moved)).toMatchObject({ outcome: "taken" });
  pass(60_000);
  await expect(store.put(moved)).rejects.toEqual(refused("parcel_id"));
  const { cursor } = await follow((request) => store.changes({ customer_id: "acme" }, request));
  expect(await store.delete(idOf(moved))).toEqual({ outcome: "deleted" });
  for (const make of [store.put, store.create]) await expect(make(moved)).rejects.toEqual(refused("parcel_id"));
  pass(60_000);
  await expect(store.create(moved)).rejects.toEqual(refused("parcel_id"));
  const read = (request: { cursor?: string | undefined }) => store.changes({ customer_id: "acme" }, request);
  expect(await follow(read, cursor)).toMatchObject({ changed: [], deleted: [idOf(moved)] });
  expect(await store.get(idOf(moved))).toBeUndefined();
  expect(secondsLeft(await movedItem(idOf(moved)))).toBeGreaterThan(days(31) / 1000);
  expect(await store.put(parcel("p"))).toMatchObject({ outcome: "created" });
});

test("a condition is checked before the field that divides changes", async () => {
  const pass = useClock();
  const { store } = await openTestStore(dividedTable, database);
  const { record } = await store.create(parcel("p"));
  const moved = parcel("p", "globex");
  const [anyOf, seen, others] = [[anyVersion], [versionOf(record)], ["0"]];
  const putWith = async (ifMatch: string[]) => (await store.put(moved, { ifMatch })).outcome;
  for (const ifMatch of [others, [noVersion]]) expect(await putWith(ifMatch)).toBe("changed");
  for (const ifMatch of [seen, anyOf]) await expect(putWith(ifMatch)).rejects.toThrow(RecordRefused);
  await store.delete(idOf(moved));
  for (const milliseconds of [0, 60_000]) {
    pass(milliseconds);
    for (const ifMatch of [others, seen, anyOf]) expect(await putWith(ifMatch)).toBe("changed");
    await expect(putWith([noVersion])).rejects.toThrow(RecordRefused);
  }
});

test("the changes of keys show deletions for 30 days, also once the key's history has been moved, and no history", async () => {
  const pass = useClock();
  const v_code = "v".repeat(64);
  for (const key_id of ["kept", "deleted"]) await keys.create({ key_id, v_code }, author);
  pass(60_000);
  const { cursor, changed } = await follow(keys.changes);
  expect(changed.toSorted(byId)).toMatchObject([
    { key_id: "deleted", v_code },
    { key_id: "kept", v_code },
  ]);
  expect(Object.keys(changed[0] ?? {})).toEqual(["key_id", "v_code", "created_at", "updated_at"]);
  await keys.delete("deleted", author);
  const deleted_at = new Date().toISOString();
  await keys.forget("deleted", deleted_at);
  expect(secondsLeft(await keyItemOf({ key_id: "deleted" }))).toBeGreaterThan(days(31) / 1000);
  pass(days(29));
  expect(await follow(keys.changes, cursor)).toMatchObject({
    changed: [],
    deleted: [{ key_id: "deleted", deleted_at }],
  });
});

test("records that were stored before the table had changes are in its index", async () => {
  const { store, client: other, tableName: name } = await openTestStore(recordTable(key), database);
  await store.create(parcel("early"));
  const { Items = [] } = await other.send(
    new QueryCommand({
      TableName: name,
      KeyConditionExpression: "parcel_id = :id",
      ExpressionAttributeValues: { ":id": { S: "early" } },
    }),
  );
  expect(Items[0]?.change_shard?.S).toMatch(/^[0-7]$/);
  expect([client, tableName]).toBeDefined();
});
