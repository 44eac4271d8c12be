import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KeyStore, updatedAtOf, versionOf } from "../../../../lambdas/resources/keys/key-store.ts";
import { keys as declaration } from "../../../../lambdas/resources/keys/keys-table.ts";
import { anyText } from "../../../support/any-text.ts";
import { author, changesIn } from "../../../support/authors.ts";
import { loseNextResponse, noteRequests } from "../../support/client-requests.ts";
import { testDeclaration } from "../../support/store-programs.ts";
import { openTestStore } from "../../support/stores.ts";

const { store: keys, client, database, itemOf } = await openTestStore(declaration);
/** The store on an empty table. */
const openEmpty = () => openTestStore(declaration, database);

let count = 0;
const newId = () => `key ${count++}`;
const vCode = (character = "v") => character.repeat(64);
/** A new key with these v_codes one after the other, and the versions that it had, oldest first. */
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
/** The outcomes of many simultaneous calls. */
const atOnce = <Outcome>(times: number, call: (index: number) => Promise<Outcome>) =>
  Promise.all(Array.from({ length: times }, (_, index) => call(index)));
const numbered = (index: number) => String(index).padStart(64, "v");

describe("creating a key", () => {
  test("stores the pair with its creation time", async () => {
    const [key_id, from] = [newId(), new Date().toISOString()];
    const created = await keys.create({ key_id, v_code: vCode() }, author);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const key = { key_id, v_code: vCode(), created_at: time, updated_at: time };
    expect(created).toEqual({ outcome: "created", key });
    const { created_at, updated_at } = await found(key_id);
    expect(created_at).toBe(updated_at);
    expect(from <= created_at && created_at <= new Date().toISOString()).toBe(true);
  });

  test("returns the stored key unchanged if the same pair exists", async () => {
    const { key_id, key } = await keyWith("a", "b");
    expect(await keys.create({ key_id, v_code: vCode("b") }, author)).toEqual({ outcome: "unchanged", key });
    expect(await found(key_id)).toEqual(key);
  });

  test("leaves a key with another v_code unchanged, and does not reveal it", async () => {
    const { key_id, key } = await keyWith("a");
    expect(await keys.create({ key_id, v_code: vCode("b") }, author)).toEqual({ outcome: "taken" });
    expect(await found(key_id)).toEqual(key);
  });

  test("finds its own pair when a response is lost and the SDK retries", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    loseNextResponse(client);
    expect(await keys.create(pair, author)).toMatchObject({ outcome: "unchanged", key: pair });
  });

  test("at the same time with the same v_code creates it once, and all return it", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    const outcomes = await atOnce(20, () => keys.create(pair, author));
    expect(outcomes.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    const key = await found(pair.key_id);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ key });
  });

  test("at the same time with different v_codes creates it once, and its pair is stored", async () => {
    const key_id = newId();
    const outcomes = await atOnce(20, (index) => keys.create({ key_id, v_code: numbered(index) }, author));
    const created = outcomes.filter(({ outcome }) => outcome === "created");
    expect(created).toEqual([{ outcome: "created", key: await found(key_id) }]);
    expect(outcomes.filter(({ outcome }) => outcome === "taken")).toHaveLength(19);
  });
});

describe("an existing key", () => {
  test("is replaced with a later update time, and keeps its creation time", async () => {
    const { key_id, key } = await keyWith("a");
    const replaced = await keys.replace({ key_id, v_code: vCode("b") }, author);
    const after = await found(key_id);
    expect(replaced).toEqual({ outcome: "replaced", key: after });
    expect(after).toEqual({ ...key, v_code: vCode("b"), updated_at: expect.any(String) });
    expect(after.updated_at > key.updated_at).toBe(true);
  });

  test("can be deleted only once, also if the response is lost and the SDK retries", async () => {
    const { key_id } = await keyWith("a");
    const outcomes = await atOnce(10, () => keys.delete(key_id, author));
    expect(outcomes.filter((outcome) => outcome === "deleted")).toHaveLength(1);
    expect(await keys.get(key_id)).toBeUndefined();

    const other = await keyWith("a");
    loseNextResponse(client);
    expect(await keys.delete(other.key_id, author)).toBe("deleted");
    expect(await keys.delete(other.key_id, author)).toBe("not found");
  });

  test("is not restored by a replacement that runs during its deletion", async () => {
    const { key_id } = await keyWith("a");
    await Promise.all([keys.delete(key_id, author), keys.replace({ key_id, v_code: vCode("b") }, author)]);
    expect(await keys.get(key_id)).toBeUndefined();
  });

  test("that is missing cannot be found, replaced or deleted", async () => {
    const key_id = newId();
    expect(await keys.replace({ key_id, v_code: vCode() }, author)).toEqual({ outcome: "not found" });
    expect(await keys.delete(key_id, author)).toBe("not found");
    expect(await keys.get(key_id)).toBeUndefined();
  });
});

describe("a deleted key", () => {
  const attributesOf = async (key_id: string) => Object.keys(await itemOf({ key_id })).toSorted();
  const timeOf = async (key_id: string) => (await itemOf({ key_id })).updated_at?.S ?? "";

  test("leaves its id, the time, an id of its deletion and its history, and nothing when it is created again", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    const created = ["change_shard", "created_at", "history", "key_id", "updated_at", "v_code"];
    for (let round = 0; round < 2; round += 1) {
      await keys.create(pair, author);
      expect(await attributesOf(pair.key_id)).toEqual(created);
      expect(await keys.delete(pair.key_id, author)).toBe("deleted");
      const left = ["change_shard", "deletion_id", "history", "key_id", "updated_at"];
      expect(await attributesOf(pair.key_id)).toEqual(left);
      expect(JSON.stringify(await itemOf({ key_id: pair.key_id }))).not.toContain(pair.v_code);
    }
  });

  test("is forgotten once its history is stored elsewhere, but not if it has been created again", async () => {
    const { key_id } = await keyWith("a");
    await keys.delete(key_id, author);
    const deletedAt = await timeOf(key_id);
    await keys.create({ key_id, v_code: vCode() }, author);
    await keys.forget(key_id, deletedAt);
    expect(await attributesOf(key_id)).toContain("history");

    await keys.delete(key_id, author);
    await keys.forget(key_id, await timeOf(key_id));
    expect(await attributesOf(key_id)).toEqual(["delete_at", "deletion_id", "key_id", "updated_at"]);
  });
});

describe("a change of a key that was read before", () => {
  test("is made to the version that was read, in one round trip even right after another change", async () => {
    const { key_id, versions } = await keyWith("0", "a");
    const requests = noteRequests(client);
    const replaced = await keys.replace({ key_id, v_code: vCode("b") }, author, ["é", ...versions.slice(1)]);
    expect(requests).toHaveLength(1);
    expect(replaced).toMatchObject({ outcome: "replaced", key: { v_code: vCode("b") } });
    expect(await keys.delete(key_id, author, [versionOf(await found(key_id))])).toBe("deleted");
    expect(requests.filter(({ operation }) => operation === "UpdateItem")).toHaveLength(2);
  });

  test("is not made to another version, and a deletion is not made either", async () => {
    const { key_id, versions, key } = await keyWith("0", "a");
    for (const expected of [versions.slice(0, 1), [], ["0"], ["zzzzzzzzzz"], ["é"], ["00"]]) {
      expect(await keys.replace({ key_id, v_code: vCode("b") }, author, expected)).toEqual({ outcome: "changed" });
      expect(await keys.delete(key_id, author, expected)).toBe("changed");
    }
    expect(await found(key_id)).toEqual(key);
  });

  test("is made if any of several versions is the current one", async () => {
    const { key_id, versions } = await keyWith("0", "a", "b");
    expect(await keys.replace({ key_id, v_code: vCode("c") }, author, versions)).toMatchObject({ outcome: "replaced" });
  });

  test("succeeds if it has been made before, and its response was lost", async () => {
    const { key_id, versions } = await keyWith("0");
    const first = await keys.replace({ key_id, v_code: vCode("a") }, author, versions);
    expect(await keys.replace({ key_id, v_code: vCode("a") }, author, versions)).toEqual(first);
  });

  test("is refused if the key was deleted, and if it was created again", async () => {
    const { key_id, versions } = await keyWith("0");
    await keys.delete(key_id, author);
    expect(await keys.replace({ key_id, v_code: vCode("a") }, author, versions)).toEqual({ outcome: "not found" });
    expect(await keys.delete(key_id, author, versions)).toBe("not found");
    await keys.create({ key_id, v_code: vCode("0") }, author);
    expect(await keys.delete(key_id, author, versions)).toBe("changed");
  });

  test("is made by exactly one of many that have read the same version", async () => {
    const { key_id, versions } = await keyWith("0");
    const outcomes = await atOnce(20, (index) => keys.replace({ key_id, v_code: numbered(index) }, author, versions));
    expect(outcomes.filter(({ outcome }) => outcome === "replaced")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "changed")).toHaveLength(19);
  });
});

describe("the version of a key", () => {
  test.for(["1970-01-01T00:00:00.000Z", "2026-11-21T10:15:30.123Z", "2999-12-31T23:59:59.999Z"])(
    "tells when it was changed: %s",
    (updated_at) => {
      expect(updatedAtOf(versionOf({ updated_at }))).toBe(updated_at);
    },
  );

  test.for(["", "00", "A", "é", "éabc", "abcé", "1.5", "zzzzzzzzzz", "NaN"])("cannot be %j", (version) => {
    expect(updatedAtOf(version)).toBeUndefined();
  });
});

describe("any text", () => {
  test.for([
    ...["__proto__", "constructor", " ", "a/b?c#d%2F", "\uFEFFa", "e\u0301", "\u00e9", "😀".repeat(255)],
    ...["\uFFFF\u{10FFFF}", "مفتاح\u202E", '{"S":"x"}'],
  ])("is a distinct key_id and is returned unchanged: %j", async (key_id) => {
    const created = await keys.create({ key_id, v_code: vCode() }, author);
    expect(created).toEqual({ outcome: "created", key: { ...(await found(key_id)), key_id } });
  });

  test("is returned unchanged from a v_code", async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 64, maxLength: 64 }), async (v_code) => {
        const pair = { key_id: newId(), v_code };
        await keys.create(pair, author);
        expect(await found(pair.key_id)).toMatchObject(pair);
        expect(await keys.create(pair, author)).toMatchObject({ outcome: "unchanged" });
      }),
      { numRuns: 30 },
    );
  });
});

describe("the history of a key", () => {
  const created = { kind: "created", author };

  test("has each of its changes, and who made it, also after its deletion", async () => {
    const { key_id, key } = await keyWith("a", "b");
    const replaced = await keys.getWithHistory(key_id);
    await keys.delete(key_id, author);
    const deleted = await keys.getWithHistory(key_id);

    const changes = [created, { kind: "replaced", author }, { kind: "deleted", author }];
    expect([replaced?.key, deleted?.key]).toEqual([key, undefined]);
    expect(changesIn(replaced?.history.entries ?? [])).toEqual(changes.slice(0, 2));
    expect(changesIn(deleted?.history.entries ?? [])).toEqual(changes);
    expect(await keys.getWithHistory(newId())).toBeUndefined();
  });

  test("is listed with the key", async () => {
    const { store } = await openEmpty();
    await store.create({ key_id: "1", v_code: vCode() }, author);
    const { keys: listed, examined } = await store.listWithHistory({ limit: 1 });
    expect(listed).toMatchObject([{ key_id: "1", v_code: vCode() }]);
    expect(listed.map(({ history }) => changesIn(history.entries))).toEqual([[created]]);
    expect(examined).toBe(1);
  });
});

describe("keys are listed", () => {
  const all = ["a", "ab", "abc", "AB", "b", "a%", "ü", "üx", "مفتاح"];

  test.for([
    [4, undefined, all],
    [1, "a", ["a", "a%", "ab", "abc"]],
    [100, "ab", ["ab", "abc"]],
    [100, "ü", ["ü", "üx"]],
    [100, "م", ["مفتاح"]],
    [100, "zz", []],
  ] as const)(
    "on pages of %i, those that begin with %j on exactly one each, without deleted ones",
    async ([limit, prefix, ids]) => {
      const { store } = await openEmpty();
      for (const key_id of [...all, "abd"]) await store.create({ key_id, v_code: vCode() }, author);
      await store.delete("abd", author);

      const pages: Awaited<ReturnType<KeyStore["list"]>>[] = [];
      do pages.push(await store.list({ limit, prefix, after: pages.at(-1)?.next }));
      while (pages.at(-1)?.next !== undefined);
      const listed = pages.flatMap((page) => page.keys);
      expect(listed.map(({ key_id }) => key_id).toSorted()).toEqual(ids.toSorted());
      for (const page of pages) expect(page.keys.length).toBeLessThanOrEqual(limit);
      if (limit === 100) expect(pages.map(({ examined }) => examined)).toEqual([all.length + 1]);
    },
  );
});

describe("the declaration of the table", () => {
  testDeclaration("keys");

  test("lets the daily job forget a deleted key only by changing its tombstone and its history", () => {
    const tombstone = [
      "key_id",
      "updated_at",
      "delete_at",
      "change_shard",
      "history",
      "history_dropped",
      "deletion_id",
    ];
    expect(declaration.rights.forget).toEqual([{ action: "UpdateItem", attributes: tombstone }]);
  });
});
