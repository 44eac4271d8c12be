import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import type { Refusal } from "../../../../lambdas/resources/usage/refusal.ts";
import type { UsageHour, UsageStore } from "../../../../lambdas/resources/usage/usage-store.ts";
import { absentId } from "../../../../tools/support/tokens.ts";
import { loseNextAnswer, type TestTable, useDatabase } from "../../support/database.ts";

const database = useDatabase();
let place: TestTable;
let usage: UsageStore;
beforeAll(async () => {
  place = await database.newTable("subject", "entry");
  usage = openStore(declaredTables.usage, { client: place.client, tableName: place.table });
});

const hour = "2026-11-21T15:00:00.000Z";
const at = (minutes: number): string => new Date(Date.parse(hour) + minutes * 60_000).toISOString();

const share = (fields: Partial<UsageHour> = {}): UsageHour => ({
  hour,
  statuses: { "2xx": 1 },
  codes: {},
  leak_signals: 0,
  refusals: [],
  ...fields,
});

const refusal = (fields: Partial<Refusal> = {}): Refusal => ({
  time: at(1),
  code: "validation_failed",
  status: 422,
  source_ip: "198.51.100.7",
  route: "POST /api/v1/key",
  leak: false,
  ...fields,
});

const only = async (tokenId: string): Promise<UsageHour | undefined> => {
  const hours = await usage.hours(tokenId, hour);
  expect(hours.length).toBeLessThanOrEqual(1);
  return hours[0];
};

describe("a token's hour", () => {
  test("is the sum of its batches", async () => {
    const id = absentId();
    await usage.add(id, share({ statuses: { "2xx": 3, "4xx": 1 }, codes: { key_not_found: 1 } }), "one");
    await usage.add(id, share({ statuses: { "2xx": 2, "5xx": 1 }, codes: { unavailable: 1 }, leak_signals: 2 }), "two");

    expect(await only(id)).toEqual({
      hour,
      statuses: { "2xx": 5, "4xx": 1, "5xx": 1 },
      codes: { key_not_found: 1, unavailable: 1 },
      leak_signals: 2,
      refusals: [],
    });
  });

  test("counts a batch once, however often it is delivered and whatever arrives in between", async () => {
    const id = absentId();
    for (const batch of ["one", "two", "one", "one", "two"]) await usage.add(id, share(), batch);

    expect(await only(id)).toMatchObject({ statuses: { "2xx": 2 } });
  });

  test("counts a batch once even if the answer is lost", async () => {
    const id = absentId();
    loseNextAnswer(place.client);
    await usage.add(id, share(), "one");

    expect(await only(id)).toMatchObject({ statuses: { "2xx": 1 } });
  });

  test("adds up concurrent batches", async () => {
    const id = absentId();
    await Promise.all(Array.from({ length: 30 }, (_, index) => usage.add(id, share(), `batch ${index}`)));

    expect(await only(id)).toMatchObject({ statuses: { "2xx": 30 } });
  });

  test("counts many batches once that are repeated soon, including concurrent ones", async () => {
    const id = absentId();
    const batches = Array.from({ length: 150 }, (_, index) => `batch ${index}`);
    for (const [index, batch] of batches.entries()) {
      await usage.add(id, share(), batch);
      await usage.add(id, share(), batches[Math.max(0, index - 63)] ?? "");
    }
    await Promise.all([...batches.slice(-64), "new", "new"].map((batch) => usage.add(id, share(), batch)));

    expect(await only(id)).toMatchObject({ statuses: { "2xx": 151 } });
  });

  test("has the first and the last use, in whatever order its batches arrive", async () => {
    const id = absentId();
    const used = (first: number, last: number) => share({ first_used_at: at(first), last_used_at: at(last) });
    await usage.add(id, used(20, 30), "middle");
    await usage.add(id, used(40, 50), "last");
    await usage.add(id, used(5, 10), "first");
    await usage.add(id, share({ statuses: { "4xx": 1 } }), "no use");

    expect(await only(id)).toMatchObject({ first_used_at: at(5), last_used_at: at(50) });
  });

  test("keeps the last refusal for each reason and address, newest first", async () => {
    const id = absentId();
    const leak = refusal({ time: at(3), code: "ip_not_allowed", status: 403, source_ip: "192.0.2.1", leak: true });
    await usage.add(id, share({ refusals: [refusal({ time: at(2) }), leak] }), "one");
    await usage.add(id, share({ refusals: [refusal({ time: at(4) })] }), "two");

    expect((await only(id))?.refusals).toEqual([refusal({ time: at(4) }), leak]);
  });

  test("stays small whatever the callers and addresses, and no other refusal displaces a leak", async () => {
    const id = absentId();
    const leak = refusal({ code: "ip_not_allowed", leak: true });
    await usage.add(id, share({ refusals: [leak] }), "leak");
    for (let index = 0; index < 10; index += 1) {
      const refusals = Array.from({ length: 50 }, (_, n) => refusal({ source_ip: `2001:db8::${index}:${n}` }));
      await usage.add(id, share({ refusals }), `batch ${index}`);
    }

    const { refusals = [] } = (await only(id)) ?? {};
    expect(refusals).toContainEqual(leak);
    expect(refusals.length).toBeLessThanOrEqual(12);
  });
});

describe("the hours of a token", () => {
  test("are in order, start with the requested one and exclude those of other tokens", async () => {
    const [id, other] = [absentId(), absentId()];
    for (const hours of [2, 0, 1, -1]) await usage.add(id, share({ hour: at(hours * 60) }), "one");
    await usage.add(other, share({ hour: at(180) }), "one");

    expect((await usage.hours(id, hour)).map((found) => found.hour)).toEqual([hour, at(60), at(120)]);
  });

  test("are deleted by the time-to-live after eight days", async () => {
    const id = absentId();
    await usage.add(id, share(), "one");
    const { Item } = await place.client.send(
      new GetItemCommand({ TableName: place.table, Key: { subject: { S: id }, entry: { S: hour } } }),
    );

    expect(Item?.delete_at?.N).toBe(String(Date.parse("2026-11-29T15:00:00Z") / 1000));
  });
});

describe("the leaks", () => {
  test("since a time are listed once per token, with the last one", async () => {
    const [early, late] = [absentId(), absentId()];
    await usage.noteLeak({ token_id: early, time: at(1), source_ip: "192.0.2.1" });
    await usage.noteLeak({ token_id: late, time: at(9), source_ip: "192.0.2.2" });
    await usage.noteLeak({ token_id: late, time: at(5), source_ip: "192.0.2.3" });

    expect(await usage.leaks(at(2))).toEqual([{ token_id: late, time: at(9), source_ip: "192.0.2.2" }]);
    expect(await usage.leaks(at(0))).toHaveLength(2);
  });
});
