import { BatchWriteItemCommand, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import type { KeyStore } from "../../../lambdas/resources/keys/key-store.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { hourMs, inMs } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { noteActions, type TestTable, useDatabase } from "../support/database.ts";
import { apiErrorOf } from "../support/rejection.ts";

const database = useDatabase();
let place: TestTable;
let keys: KeyStore;
const v_code = "v".repeat(64);

beforeEach(async () => {
  place = await database.newTable("key_id");
  keys = openStore(tables.keys, { client: place.client, tableName: place.table });
});

const itemOf = async (key_id: string) => {
  const command = new GetItemCommand({ TableName: place.table, Key: { key_id: { S: key_id } }, ConsistentRead: true });
  return (await place.client.send(command)).Item;
};

/** Writes what deleted keys leave behind. */
const putDeleted = async (count: number) => {
  const deleted = { updated_at: { S: inMs(-hourMs) }, deletion_id: { S: "1" }, delete_at: { N: "1" } };
  const ids = Array.from({ length: count }, (_, index) => `deleted ${index}`);
  for (let from = 0; from < count; from += 25) {
    const puts = ids.slice(from, from + 25).map((id) => ({ PutRequest: { Item: { key_id: { S: id }, ...deleted } } }));
    await place.client.send(new BatchWriteItemCommand({ RequestItems: { [place.table]: puts } }));
  }
};

test("a deleted key leaves its id, the time, an id of its deletion and its history, and no secret", async () => {
  await keys.create({ key_id: "1", v_code }, author);
  await keys.delete("1", author);

  const item = await itemOf("1");
  const left = ["change_shard", "deletion_id", "history", "key_id", "updated_at"];
  expect(Object.keys(item ?? {}).toSorted()).toEqual(left);
  expect(JSON.stringify(item)).not.toContain(v_code);
});

test("a deleted key is forgotten once its history is stored elsewhere, but not if it has been created again", async () => {
  await keys.create({ key_id: "1", v_code }, author);
  await keys.delete("1", author);
  const deletedAt = (await itemOf("1"))?.updated_at?.S ?? "";
  await keys.create({ key_id: "1", v_code }, author);
  await keys.forget("1", deletedAt);
  expect(Object.keys((await itemOf("1")) ?? {})).toContain("history");

  await keys.delete("1", author);
  await keys.forget("1", (await itemOf("1"))?.updated_at?.S ?? "");
  expect(Object.keys((await itemOf("1")) ?? {}).toSorted()).toEqual([
    "delete_at",
    "deletion_id",
    "key_id",
    "updated_at",
  ]);
});

test("a key that is created again has nothing of its deletion", async () => {
  for (let round = 0; round < 2; round += 1) {
    await keys.create({ key_id: "1", v_code }, author);
    const present = ["change_shard", "created_at", "history", "key_id", "updated_at", "v_code"];
    expect(Object.keys((await itemOf("1")) ?? {}).toSorted()).toEqual(present);
    expect(await keys.delete("1", author)).toBe("deleted");
  }
});

describe("deleted keys", () => {
  test("are not listed, and a page is as full as without them", async () => {
    await putDeleted(60);
    const ids = Array.from({ length: 7 }, (_, index) => `key ${index}`);
    for (const key_id of ids) await keys.create({ key_id, v_code }, author);

    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await keys.list({ limit: 3, after });
      pages.push(page.keys.map(({ key_id }) => key_id));
      after = page.next;
    } while (after !== undefined);
    expect(pages.flat().toSorted()).toEqual(ids);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(3);
  });

  test("are skipped in growing steps", async () => {
    await putDeleted(1_500);
    const actions = noteActions(place.client);
    expect(await keys.list({ limit: 1 })).toEqual({ keys: [], examined: 1_500 });
    expect(actions).toHaveLength(6);
  });

  test("end a page if there are thousands of them in a row, and the next page continues", async () => {
    await putDeleted(9_500);
    const first = await keys.list({ limit: 1 });
    expect(first).toEqual({ keys: [], next: expect.any(String), examined: expect.any(Number) });
    const second = await keys.list({ limit: 1, after: first.next });
    expect(second).toEqual({ keys: [], examined: 9_500 - first.examined });
  });
});

describe("an item that is neither a key nor a deleted key is unavailable to all readers, and is not changed:", () => {
  const deleted = { updated_at: { S: inMs(-hourMs) }, deletion_id: { S: "1" }, delete_at: { N: "1" } };
  const created_at = { S: inMs(-hourMs) };

  test.for([
    ["a key with a mark", { ...deleted, v_code: { S: v_code }, created_at }],
    ["half a key with a mark", { ...deleted, created_at }],
    ["a mark that is not a text", { ...deleted, deletion_id: { BOOL: true as const } }],
    ["an empty mark", { ...deleted, deletion_id: { S: "" } }],
    ["a mark without a time", { deletion_id: { S: "1" } }],
    ["a mark with a wrong time", { ...deleted, updated_at: { N: "1" } }],
    ["neither a mark nor a key", { updated_at: { S: inMs(-hourMs) } }],
  ] as const)("%s", async ([, fields]) => {
    await place.client.send(new PutItemCommand({ TableName: place.table, Item: { key_id: { S: "1" }, ...fields } }));
    const before = await itemOf("1");
    for (const call of [
      () => keys.get("1"),
      () => keys.list({ limit: 10 }),
      () => keys.replace({ key_id: "1", v_code: "w".repeat(64) }, author),
      () => keys.delete("1", author),
    ]) {
      const outcome = await apiErrorOf(call()).catch(() => undefined);
      expect(outcome?.code, `${call}`).toBe("unavailable");
    }
    expect(await itemOf("1")).toEqual(before);

    // What a deletion has left, if damaged, may become a whole key.
    const created = await keys.create({ key_id: "1", v_code }, author).catch(() => undefined);
    if (created) expect(created).toMatchObject({ outcome: "created", key: await keys.get("1") });
    else expect(await itemOf("1")).toEqual(before);
  });
});
