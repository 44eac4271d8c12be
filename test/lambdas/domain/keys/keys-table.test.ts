import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { writtenKey } from "../../../../lambdas/domain/keys/key-fields.ts";
import { keys as declaration, type KeyStore } from "../../../../lambdas/domain/keys/keys-table.ts";
import { versionOf } from "../../../../lambdas/dynamodb/versions.ts";
import { anyText } from "../../../kit/support/any-text.ts";
import { author, changesIn } from "../../../support/authors.ts";
import { noteRequests } from "../../support/client-requests.ts";
import { stopClock } from "../../support/clock.ts";
import { openTestStore } from "../../support/stores.ts";

/* test/lambdas/dynamodb/changes.test.ts tests what late and repeated attempts do to keys. */

const { store: keys, client, database, itemOf } = await openTestStore(declaration);

let count = 0;
const newId = () => `key ${count++}`;
const vCode = (character = "v") => character.repeat(64);
/** Creates a key with these v_codes in turn, and returns its versions, oldest first. */
const keyWith = async (...v_codes: string[]) => {
  const key_id = newId();
  const versions: string[] = [];
  for (const v_code of v_codes) {
    await (versions.length === 0 ? keys.create : keys.replace)({ key_id, v_code: vCode(v_code) }, author);
    versions.push(versionOf(await found(key_id)));
  }
  return { key_id, versions, key: await found(key_id) };
};
const found = async (key_id: string) => {
  const key = await keys.get(key_id);
  if (!key) throw new Error("there is no such key");
  return key;
};

test("creating a key stores the pair with its creation time", async () => {
  const [key_id, from] = [newId(), new Date().toISOString()];
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const written = { key_id, v_code: vCode() };
  const key = { ...z.parse(writtenKey, written), created_at: time, updated_at: time };
  expect(await keys.create(written, author)).toEqual({ outcome: "created", key });
  const { created_at, updated_at } = await found(key_id);
  expect(created_at).toBe(updated_at);
  expect(from <= created_at && created_at <= new Date().toISOString()).toBe(true);
});

test("creating a key leaves an existing key unchanged, and returns it only if the pair is the same", async () => {
  const { key_id, key } = await keyWith("a", "b");
  expect(await keys.create({ key_id, v_code: vCode("b") }, author)).toEqual({ outcome: "unchanged", key });
  expect(await keys.create({ key_id, v_code: vCode("c") }, author)).toEqual({ outcome: "taken" });
  expect(await found(key_id)).toEqual(key);
});

test("stores and returns any string as id and v_code unchanged", async () => {
  const examples = ["__proto__", "constructor", " ", "a/b?c#d%2F", "\uFEFFa", "e\u0301", "\u00e9", '{"S":"x"}'];
  await fc.assert(
    fc.asyncProperty(
      anyText({ minLength: 1, maxLength: 255 }),
      anyText({ minLength: 64, maxLength: 64 }),
      async (key_id, v_code) => {
        await keys.delete(key_id, author);
        expect(await keys.create({ key_id, v_code }, author)).toMatchObject({ outcome: "created" });
        expect(await found(key_id)).toMatchObject({ key_id, v_code });
      },
    ),
    { numRuns: 20, examples: examples.map((id) => [id, vCode()]) },
  );
});

test("replacing a key sets a later update time, and keeps the creation time", async () => {
  const { key_id, key } = await keyWith("a");
  const replaced = await keys.replace({ key_id, v_code: vCode("b") }, author);
  const after = await found(key_id);
  expect(replaced).toEqual({ outcome: "replaced", key: after });
  expect(after).toEqual({ ...key, v_code: vCode("b"), updated_at: expect.any(String) });
  expect(after.updated_at > key.updated_at).toBe(true);
});

test("a key that does not exist cannot be found, replaced or deleted", async () => {
  const key_id = newId();
  expect(await keys.replace({ key_id, v_code: vCode() }, author)).toEqual({ outcome: "not found" });
  expect(await keys.delete(key_id, author)).toBe("not found");
  expect(await keys.get(key_id)).toBeUndefined();
  expect(await keys.getWithHistory(key_id)).toBeUndefined();
});

test("exactly one of many simultaneous calls creates, replaces or deletes a key", async () => {
  // A change that competes with others gives up after a while.
  stopClock();
  const key_id = newId();
  const winners = async (outcome: string, call: (v_code: string) => Promise<string | { outcome: string }>) => {
    const calls = Array.from({ length: 20 }, (_, index) => call(String(index).padStart(64, "v")));
    return (await Promise.all(calls)).filter((one) => (typeof one === "string" ? one : one.outcome) === outcome).length;
  };
  expect(await winners("created", (v_code) => keys.create({ key_id, v_code }, author))).toBe(1);
  const seen = [versionOf(await found(key_id))];
  expect(await winners("replaced", (v_code) => keys.replace({ key_id, v_code }, author, seen))).toBe(1);
  expect(await winners("deleted", () => keys.delete(key_id, author))).toBe(1);
});

const attributesOf = async (key_id: string) => Object.keys(await itemOf({ key_id })).toSorted();
const timeOf = async (key_id: string) => (await itemOf({ key_id })).updated_at?.S ?? "";

test("a deleted key leaves its id, time, deletion id and history until it is created again", async () => {
  const pair = { key_id: newId(), v_code: vCode() };
  for (let round = 0; round < 2; round += 1) {
    await keys.create(pair, author);
    const created = ["change_shard", "created_at", "history", "key_id", "updated_at", "v_code"];
    expect(await attributesOf(pair.key_id)).toEqual(created);
    expect(await keys.delete(pair.key_id, author)).toBe("deleted");
    const left = ["change_shard", "deletion_id", "history", "key_id", "updated_at"];
    expect(await attributesOf(pair.key_id)).toEqual(left);
    expect(JSON.stringify(await itemOf({ key_id: pair.key_id }))).not.toContain(pair.v_code);
  }
});

test("a deleted key is removed once its history is stored elsewhere, unless it is created again", async () => {
  const { key_id } = await keyWith("a");
  await keys.delete(key_id, author);
  const deletedAt = await timeOf(key_id);
  await keys.create({ key_id, v_code: vCode() }, author);
  await keys.forget(key_id, deletedAt);
  expect(await attributesOf(key_id)).toContain("history");

  await keys.delete(key_id, author);
  await keys.forget(key_id, await timeOf(key_id));
  expect(await attributesOf(key_id)).toEqual(["change_shard", "delete_at", "deletion_id", "key_id", "updated_at"]);
  await keys.create({ key_id, v_code: vCode() }, author);
  expect(await attributesOf(key_id)).not.toContain("delete_at");
});

test("a conditional change applies to the version that was read, in one round trip, and can be repeated", async () => {
  const { key_id, versions } = await keyWith("0", "a");
  const requests = noteRequests(client);
  const replace = () => keys.replace({ key_id, v_code: vCode("b") }, author, ["é", ...versions.slice(1)]);
  const replaced = await replace();
  expect(requests).toHaveLength(1);
  expect(replaced).toMatchObject({ outcome: "replaced", key: { v_code: vCode("b") } });
  expect(await replace()).toEqual(replaced);
  expect(await keys.delete(key_id, author, [...versions, versionOf(await found(key_id))])).toBe("deleted");
});

test("a conditional change leaves other versions unchanged, even long after the last change", async () => {
  const { key_id, versions, key } = await keyWith("0", "a");
  stopClock(60_000);
  for (const expected of [versions.slice(0, 1), [], ["0"], ["zzzzzzzzzz"], ["é"], ["00"]]) {
    expect(await keys.replace({ key_id, v_code: vCode("b") }, author, expected)).toEqual({ outcome: "changed" });
    expect(await keys.delete(key_id, author, expected)).toBe("changed");
  }
  expect(await found(key_id)).toEqual(key);
});

test("a conditional change is rejected if the key was deleted or was created again", async () => {
  const { key_id, versions } = await keyWith("0");
  await keys.delete(key_id, author);
  expect(await keys.replace({ key_id, v_code: vCode("a") }, author, versions)).toEqual({ outcome: "not found" });
  expect(await keys.delete(key_id, author, versions)).toBe("not found");
  await keys.create({ key_id, v_code: vCode("0") }, author);
  expect(await keys.delete(key_id, author, versions)).toBe("changed");
});

test("a key's history has all changes with their authors, even after the key's deletion", async () => {
  const { key_id, key } = await keyWith("a", "b");
  const replaced = await keys.getWithHistory(key_id);
  await keys.delete(key_id, author);
  const deleted = await keys.getWithHistory(key_id);
  const changes = ["created", "replaced", "deleted"].map((kind) => ({ kind, author }));
  expect([replaced?.key, deleted?.key]).toEqual([key, undefined]);
  expect(changesIn(replaced?.history.entries ?? [])).toEqual(changes.slice(0, 2));
  expect(changesIn(deleted?.history.entries ?? [])).toEqual(changes);
});

const ids = ["a", "ab", "abc", "AB", "b", "a%", "ü", "üx", "مفتاح"];
const listed = openTestStore(declaration, database).then(async ({ store }) => {
  for (const key_id of [...ids, "abd"]) await store.create({ key_id, v_code: vCode() }, author);
  await store.delete("abd", author);
  return store;
});

test.for([
  [4, undefined, ids],
  [1, "a", ["a", "a%", "ab", "abc"]],
  [100, "ü", ["ü", "üx"]],
  [100, "zz", []],
] as const)("pages of %i keys include each key with the prefix %j once", async ([limit, prefix, expected]) => {
  const store = await listed;
  const pages: Awaited<ReturnType<KeyStore["listWithHistory"]>>[] = [];
  do pages.push(await store.listWithHistory({ limit, prefix, after: pages.at(-1)?.next }));
  while (pages.at(-1)?.next !== undefined);
  const keys = pages.flatMap((page) => page.keys);
  expect(keys.map(({ key_id }) => key_id).toSorted()).toEqual(expected.toSorted());
  for (const { history } of keys) expect(changesIn(history.entries)).toEqual([{ kind: "created", author }]);
  for (const page of pages) expect(page.keys.length).toBeLessThanOrEqual(limit);
  if (limit === 100) expect(pages.map(({ examined }) => examined)).toEqual([ids.length + 1]);
  expect((await store.list({ limit, prefix })).keys).toEqual(pages[0]?.keys.map(({ history: _, ...key }) => key));
});

test("a page continues in the same place if the previous page's last key is deleted meanwhile", async () => {
  const store = await listed;
  const first = await store.list({ limit: 4 });
  await store.delete(first.next ?? "", author);
  const second = await store.list({ limit: 9, after: first.next });
  expect([...first.keys, ...second.keys].map(({ key_id }) => key_id).toSorted()).toEqual(ids.toSorted());
});
