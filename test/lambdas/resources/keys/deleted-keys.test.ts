import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import { keys as declaration } from "../../../../lambdas/resources/keys/keys-table.ts";
import { hourMs, inMs } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { noteRequests } from "../../support/client-requests.ts";
import { openTestStore, useDatabase } from "../../support/database.ts";

const database = useDatabase();
const v_code = "v".repeat(64);

/** A table with the tombstones of so many deleted keys. */
const openWith = async (deleted: number) => {
  const table = await openTestStore(declaration, database);
  const tombstone = { updated_at: inMs(-hourMs), deletion_id: "1", delete_at: 1 };
  for (let from = 0; from < deleted; from += 25) {
    const numbers = Array.from({ length: Math.min(25, deleted - from) }, (_, index) => from + index);
    const puts = numbers.map((number) => ({
      PutRequest: { Item: toItem({ key_id: `deleted ${number}`, ...tombstone }) },
    }));
    await table.client.send(new BatchWriteItemCommand({ RequestItems: { [table.tableName]: puts } }));
  }
  return table;
};

describe("a deleted key", () => {
  test("leaves its id, the time, an id of its deletion and its history, no secret, and nothing when it is created again", async () => {
    const { store: keys, itemOf } = await openWith(0);
    const attributes = async () => Object.keys(await itemOf({ key_id: "1" })).toSorted();
    for (let round = 0; round < 2; round += 1) {
      await keys.create({ key_id: "1", v_code }, author);
      expect(await attributes()).toEqual(["change_shard", "created_at", "history", "key_id", "updated_at", "v_code"]);
      expect(await keys.delete("1", author)).toBe("deleted");
      expect(await attributes()).toEqual(["change_shard", "deletion_id", "history", "key_id", "updated_at"]);
      expect(JSON.stringify(await itemOf({ key_id: "1" }))).not.toContain(v_code);
    }
  });

  test("is forgotten once its history is stored elsewhere, but not if it has been created again", async () => {
    const { store: keys, itemOf } = await openWith(0);
    const timeOfKey = async () => (await itemOf({ key_id: "1" })).updated_at?.S ?? "";
    await keys.create({ key_id: "1", v_code }, author);
    await keys.delete("1", author);
    const deletedAt = await timeOfKey();
    await keys.create({ key_id: "1", v_code }, author);
    await keys.forget("1", deletedAt);
    expect(await itemOf({ key_id: "1" })).toHaveProperty("history");

    await keys.delete("1", author);
    await keys.forget("1", await timeOfKey());
    const left = Object.keys(await itemOf({ key_id: "1" }));
    expect(left.toSorted()).toEqual(["delete_at", "deletion_id", "key_id", "updated_at"]);
  });
});

describe("deleted keys", () => {
  test("are not listed, and a page is as full as without them", async () => {
    const { store: keys } = await openWith(60);
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
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
  });

  test("are skipped in growing steps", async () => {
    const { store: keys, client } = await openWith(1_500);
    const requests = noteRequests(client);
    expect(await keys.list({ limit: 1 })).toEqual({ keys: [], examined: 1_500 });
    expect(requests).toHaveLength(6);
  });

  test("end a page if there are thousands of them in a row, and the next page continues", async () => {
    const { store: keys } = await openWith(9_500);
    const first = await keys.list({ limit: 1 });
    expect(first).toEqual({ keys: [], next: expect.any(String), examined: expect.any(Number) });
    const second = await keys.list({ limit: 1, after: first.next });
    expect(second).toEqual({ keys: [], examined: 9_500 - first.examined });
  });
});
