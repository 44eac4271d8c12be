import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { type Key, type KeyStore, versionOf } from "../../../../lambdas/resources/keys/key-store.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import { anyText } from "../../../support/any-text.ts";
import { author, changesIn } from "../../../support/authors.ts";
import { loseNextAnswer, noteActions, type TestTable, useDatabase } from "../../support/database.ts";

const database = useDatabase();
let place: TestTable;
let keys: KeyStore;

beforeAll(async () => {
  place = await database.newTable("key_id");
  keys = openStore(declaredTables.keys, { client: place.client, tableName: place.table });
});

let count = 0;
const newId = () => `key ${count++}`;
const vCode = (character = "v") => character.repeat(64);
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("creating a key", () => {
  test("stores the pair with its creation time", async () => {
    const [key_id, from] = [newId(), new Date().toISOString()];
    const created = await keys.create({ key_id, v_code: vCode() }, author);
    expect(created).toEqual({
      outcome: "created",
      key: {
        key_id,
        v_code: vCode(),
        created_at: expect.stringMatching(timestamp),
        updated_at: expect.stringMatching(timestamp),
      },
    });
    const key = await keys.get(key_id);
    expect(created).toMatchObject({ key });
    expect(key?.created_at).toBe(key?.updated_at);
    expect(from <= String(key?.created_at) && String(key?.created_at) <= new Date().toISOString()).toBe(true);
  });

  test("returns the stored key unchanged if the same pair exists", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    await keys.create(pair, author);
    await keys.replace(pair, author);
    const replaced = await keys.get(pair.key_id);
    expect(await keys.create(pair, author)).toEqual({ outcome: "unchanged", key: replaced });
    expect(await keys.get(pair.key_id)).toEqual(replaced);
  });

  test("leaves a key with another v_code unchanged, and does not reveal it", async () => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode("a") }, author);
    const before = await keys.get(key_id);
    expect(await keys.create({ key_id, v_code: vCode("b") }, author)).toEqual({ outcome: "taken" });
    expect(await keys.get(key_id)).toEqual(before);
  });

  test("finds its own pair when an answer is lost and the SDK retries", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    loseNextAnswer(place.client);
    expect(await keys.create(pair, author)).toMatchObject({ outcome: "unchanged", key: pair });
    expect(await keys.get(pair.key_id)).toMatchObject(pair);
  });

  test("reports a key as deleted even if that response is lost and the SDK retries", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    await keys.create(pair, author);
    loseNextAnswer(place.client);
    expect(await keys.delete(pair.key_id, author)).toBe("deleted");
    expect(await keys.delete(pair.key_id, author)).toBe("not found");
  });

  test("treats a key that was deleted as new", async () => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode("a") }, author);
    await keys.delete(key_id, author);
    expect(await keys.create({ key_id, v_code: vCode("b") }, author)).toMatchObject({ outcome: "created" });
  });
});

describe("of 50 simultaneous creates of one key_id", () => {
  test("with the same v_code exactly one creates it, and all return it", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => keys.create(pair, author)));
    expect(outcomes.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    const key = await keys.get(pair.key_id);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ key });
  });

  test("with different v_codes exactly one creates it, and its pair is stored", async () => {
    const key_id = newId();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        keys.create({ key_id, v_code: String(index).padStart(64, "v") }, author),
      ),
    );
    const created = outcomes.filter(({ outcome }) => outcome === "created");
    expect(created).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "taken")).toHaveLength(49);
    expect(created[0]).toEqual({ outcome: "created", key: await keys.get(key_id) });
  });
});

describe("an existing key", () => {
  test("is replaced with a later update time, and keeps its creation time", async () => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode("a") }, author);
    const before = await keys.get(key_id);
    await expect.poll(() => new Date().toISOString()).not.toBe(before?.updated_at);
    const replaced = await keys.replace({ key_id, v_code: vCode("b") }, author);
    const after = await keys.get(key_id);
    expect(replaced).toEqual({ outcome: "replaced", key: after });
    expect(after).toMatchObject({ key_id, v_code: vCode("b"), created_at: before?.created_at });
    expect(String(after?.updated_at) > String(before?.updated_at)).toBe(true);
  });

  test("is gone after it is deleted, and can be deleted only once", async () => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode() }, author);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => keys.delete(key_id, author)));
    expect(outcomes.filter((outcome) => outcome === "deleted")).toHaveLength(1);
    expect(await keys.get(key_id)).toBeUndefined();
  });

  test("is not restored by a replacement that runs during its deletion", async () => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode() }, author);
    await Promise.all([keys.delete(key_id, author), keys.replace({ key_id, v_code: vCode("b") }, author)]);
    expect(await keys.get(key_id)).toBeUndefined();
  });
});

describe("a change of a key that was read before", () => {
  /** A new key and the versions that it had, oldest first. */
  const keyWithVersions = async (...v_codes: string[]) => {
    const key_id = newId();
    await keys.create({ key_id, v_code: vCode("0") }, author);
    const versions = [versionOf((await keys.get(key_id)) as Key)];
    for (const v_code of v_codes) {
      await keys.replace({ key_id, v_code: vCode(v_code) }, author);
      versions.push(versionOf((await keys.get(key_id)) as Key));
    }
    return { key_id, versions };
  };

  test("is made to the version that was read, in one round trip even right after another change", async () => {
    const { key_id, versions } = await keyWithVersions("a");
    const requests = noteActions(place.client);
    const replaced = await keys.replace({ key_id, v_code: vCode("b") }, author, versions.slice(1));
    expect(requests).toEqual(["UpdateItem"]);
    expect(replaced).toMatchObject({ outcome: "replaced", key: { v_code: vCode("b") } });
    const { updated_at } = (await keys.get(key_id)) as Key;
    expect(await keys.delete(key_id, author, [versionOf({ updated_at })])).toBe("deleted");
  });

  test("takes one round trip also if there are versions that no key can have", async () => {
    const { key_id, versions } = await keyWithVersions("a");
    const requests = noteActions(place.client);
    await keys.replace({ key_id, v_code: vCode("b") }, author, ["é", ...versions.slice(1)]);
    expect(requests).toEqual(["UpdateItem"]);
  });

  test("is not made to another version, and a deletion is not made either", async () => {
    const { key_id, versions } = await keyWithVersions("a");
    const before = await keys.get(key_id);
    for (const expected of [[versions[0] as string], [], ["0"], ["zzzzzzzzzz"], ["é"], ["00"]]) {
      expect(await keys.replace({ key_id, v_code: vCode("b") }, author, expected)).toEqual({ outcome: "changed" });
      expect(await keys.delete(key_id, author, expected)).toBe("changed");
    }
    expect(await keys.get(key_id)).toEqual(before);
  });

  test("is made if any of several versions is the current one", async () => {
    const { key_id, versions } = await keyWithVersions("a", "b");
    expect(await keys.replace({ key_id, v_code: vCode("c") }, author, versions)).toMatchObject({ outcome: "replaced" });
  });

  test("succeeds if it has been made before, and its answer was lost", async () => {
    const { key_id, versions } = await keyWithVersions();
    const first = await keys.replace({ key_id, v_code: vCode("a") }, author, versions);
    expect(await keys.replace({ key_id, v_code: vCode("a") }, author, versions)).toEqual(first);
  });

  test("is refused if the key was deleted, and if it was created again", async () => {
    const { key_id, versions } = await keyWithVersions();
    await keys.delete(key_id, author);
    expect(await keys.replace({ key_id, v_code: vCode("a") }, author, versions)).toEqual({ outcome: "not found" });
    expect(await keys.delete(key_id, author, versions)).toBe("not found");
    await keys.create({ key_id, v_code: vCode("0") }, author);
    expect(await keys.delete(key_id, author, versions)).toBe("changed");
  });

  test("is made by exactly one of many that have read the same version", async () => {
    const { key_id, versions } = await keyWithVersions();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        keys.replace({ key_id, v_code: String(index).padStart(64, "v") }, author, versions),
      ),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "replaced")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "changed")).toHaveLength(19);
  });
});

describe("a missing key", () => {
  test("cannot be found, replaced or deleted", async () => {
    const key_id = newId();
    expect(await keys.get(key_id)).toBeUndefined();
    expect(await keys.replace({ key_id, v_code: vCode() }, author)).toEqual({ outcome: "not found" });
    expect(await keys.delete(key_id, author)).toBe("not found");
    expect(await keys.get(key_id)).toBeUndefined();
  });
});

describe("any text", () => {
  test.for([
    "__proto__",
    "constructor",
    " ",
    "a/b?c#d%2F",
    "\uFEFFa",
    "e\u0301",
    "\u00e9",
    "😀".repeat(255),
    "\uFFFF\u{10FFFF}",
    "مفتاح\u202E",
    '{"S":"x"}',
  ])("is a distinct key_id and is returned unchanged: %j", async (key_id) => {
    expect(await keys.create({ key_id, v_code: vCode() }, author)).toMatchObject({
      outcome: "created",
      key: { key_id },
    });
    expect(await keys.get(key_id)).toMatchObject({ key_id });
  });

  test("is returned unchanged from a v_code", async () => {
    const text = anyText({ minLength: 64, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(text, async (v_code) => {
        const pair = { key_id: newId(), v_code };
        await keys.create(pair, author);
        expect(await keys.get(pair.key_id)).toMatchObject(pair);
        expect(await keys.create(pair, author)).toMatchObject({ outcome: "unchanged" });
      }),
      { numRuns: 30 },
    );
  });
});

test("keys are listed page by page", async () => {
  const { client, table } = await database.newTable("key_id");
  const own = openStore(declaredTables.keys, { client, tableName: table });
  expect(await own.list({ limit: 2 })).toEqual({ keys: [], examined: 0 });

  for (const key_id of ["a", "b", "c"]) await own.create({ key_id, v_code: vCode() }, author);
  const { keys: first, next } = await own.list({ limit: 2 });
  const { keys: rest, ...last } = await own.list({ limit: 2, after: next });
  expect([...first, ...rest].map(({ key_id }) => key_id).toSorted()).toEqual(["a", "b", "c"]);
  expect(first).toHaveLength(2);
  expect(last).toEqual({ examined: 1 });
});

describe("the history of a key", () => {
  test("has each of its changes, and who made it, also after its deletion", async () => {
    const pair = { key_id: newId(), v_code: vCode() };
    await keys.create(pair, author);
    await keys.replace(pair, author);
    const replaced = await keys.getWithHistory(pair.key_id);
    await keys.delete(pair.key_id, author);
    const deleted = await keys.getWithHistory(pair.key_id);

    const changes = ["created", "replaced", "deleted"].map((kind) => ({ kind, author }));
    expect(replaced?.key).toMatchObject(pair);
    expect(replaced && changesIn(replaced.history.entries)).toEqual(changes.slice(0, 2));
    expect(deleted?.key).toBeUndefined();
    expect(deleted && changesIn(deleted.history.entries)).toEqual(changes);
  });

  test("does not exist if the key never did", async () => {
    expect(await keys.getWithHistory(newId())).toBeUndefined();
  });

  test("is listed with the key", async () => {
    const { client, table } = await database.newTable("key_id");
    const own = openStore(declaredTables.keys, { client, tableName: table });
    const pair = { key_id: newId(), v_code: vCode() };
    await own.create(pair, author);

    const { keys: listed, examined } = await own.listWithHistory({ limit: 1 });
    expect(listed).toMatchObject([pair]);
    expect(listed.map(({ history }) => changesIn(history.entries))).toEqual([[{ kind: "created", author }]]);
    expect(examined).toBe(1);
  });
});

describe("keys with a prefix", () => {
  const all = ["a", "ab", "abc", "AB", "b", "a%", "ü", "üx", "مفتاح"];
  const listed = async (own: KeyStore, prefix: string, limit = 100) => {
    const { keys: found, ...page } = await own.list({ limit, prefix });
    return { ...page, ids: found.map(({ key_id }) => key_id).toSorted() };
  };

  test("are those that begin with exactly these characters, and no deleted ones", async () => {
    const { client, table } = await database.newTable("key_id");
    const own = openStore(declaredTables.keys, { client, tableName: table });
    for (const key_id of [...all, "abd"]) await own.create({ key_id, v_code: vCode() }, author);
    await own.delete("abd", author);
    expect(await listed(own, "ab")).toEqual({ ids: ["ab", "abc"], examined: 10 });
    expect(await listed(own, "ü")).toEqual({ ids: ["ü", "üx"], examined: 10 });
    expect(await listed(own, "م")).toMatchObject({ ids: ["مفتاح"] });
    expect(await listed(own, "zz")).toEqual({ ids: [], examined: 10 });
    expect((await listed(own, "a")).ids).toEqual(["a", "a%", "ab", "abc"]);
  });

  test("are on exactly one page each", async () => {
    const { client, table } = await database.newTable("key_id");
    const own = openStore(declaredTables.keys, { client, tableName: table });
    for (const key_id of all) await own.create({ key_id, v_code: vCode() }, author);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await own.list({ limit: 1, prefix: "a", after });
      expect(page.keys.length).toBeLessThanOrEqual(1);
      found.push(...page.keys.map(({ key_id }) => key_id));
      after = page.next;
    } while (after !== undefined);
    expect(found.toSorted()).toEqual(["a", "a%", "ab", "abc"]);
  });
});
