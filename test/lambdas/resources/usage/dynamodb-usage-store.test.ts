import { GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
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
  leaks: [],
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
      leaks: [],
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

/** Addresses in the order of their numbers, each with one call. */
const address = (number: number, minute = number) => ({
  source_ip: `2001:db8::${(number + 1).toString(16)}`,
  first_at: at(minute),
  last_at: at(minute),
});
const leaking = (...leaks: ReturnType<typeof address>[]) =>
  share({ leak_signals: leaks.length, leaks: leaks.map((leak) => ({ ...leak, calls: 1 })) });

describe("the addresses from which a token leaked in an hour", () => {
  test("are all named, with the number, the first and the last of their calls, in whatever order they arrive", async () => {
    const id = absentId();
    const thief = address(1, 5);
    const harmless = Array.from({ length: 19 }, (_, index) => address(index + 2, index));
    await usage.add(id, leaking(...harmless.slice(0, 9)), "before");
    await usage.add(id, leaking(thief), "thief");
    await usage.add(id, leaking(...harmless.slice(9), address(1, 9), address(1, 2)), "after");
    await usage.add(id, leaking(address(1, 7)), "again");

    const { leaks = [] } = (await only(id)) ?? {};
    expect(leaks).toHaveLength(20);
    expect(leaks).toContainEqual({ source_ip: thief.source_ip, calls: 4, first_at: at(2), last_at: at(9) });
  });

  test("are exact for repeated and concurrent deliveries, and for lost responses", async () => {
    const id = absentId();
    const batches = Array.from(
      { length: 15 },
      (_, index) => [leaking(address(index), address(99)), `${index}`] as const,
    );
    loseNextAnswer(place.client);
    await usage.add(id, leaking(address(50), address(99, 50)), "first");
    await Promise.all([...batches, ...batches].map(([hour, batch]) => usage.add(id, hour, batch)));
    for (const [hour, batch] of batches) await usage.add(id, hour, batch);

    const { leaks = [], leak_signals } = (await only(id)) ?? {};
    expect(leak_signals).toBe(32);
    expect(leaks).toHaveLength(17);
    expect(leaks.reduce((sum, { calls }) => sum + calls, 0)).toBe(32);
    expect(leaks).toContainEqual({ source_ip: address(99).source_ip, calls: 16, first_at: at(50), last_at: at(99) });
  });

  test("are at most twenty, the first ones stay, and the calls from all others are counted", async () => {
    const id = absentId();
    await usage.add(id, leaking(address(1)), "thief");
    for (let batch = 0; batch < 5; batch += 1) {
      const addresses = Array.from({ length: 100 }, (_, index) => address(2 + batch * 100 + index, 30));
      await usage.add(id, leaking(...addresses), `flood ${batch}`);
    }
    await usage.add(id, leaking(address(1, 59)), "thief again");

    const { leaks = [], leak_signals } = (await only(id)) ?? {};
    expect({ named: leaks.length, leak_signals }).toEqual({ named: 20, leak_signals: 502 });
    expect(leaks[0]).toEqual({ source_ip: address(1).source_ip, calls: 2, first_at: at(1), last_at: at(59) });
    expect(leaks.slice(1).every(({ calls }) => calls === 1)).toBe(true);
  });
});

describe("the leaks of all tokens", () => {
  const leakOf = async (id: string, since = at(0)) =>
    (await usage.leaks(since)).find(({ token_id }) => token_id === id);

  test("since a time are listed once per token, with the last one and every address", async () => {
    const [early, late] = [absentId(), absentId()];
    await usage.noteLeak(early, [address(1)]);
    await usage.noteLeak(late, [address(9)]);
    await usage.noteLeak(late, [address(5), address(7)]);

    expect(await leakOf(early, at(2))).toBeUndefined();
    expect(await leakOf(late, at(6))).toEqual({
      ...{ token_id: late, time: at(9), source_ip: address(9).source_ip },
      addresses: [address(9), address(7)],
    });
    expect((await leakOf(late))?.addresses).toHaveLength(3);
  });

  test("do not hide an address behind a later one, whether deliveries are repeated, concurrent or late", async () => {
    const id = absentId();
    const notes = Array.from({ length: 10 }, (_, index) => [address(index), address(index, index + 20)]);
    await Promise.all([...notes, ...notes].map((note) => usage.noteLeak(id, note)));
    for (const note of notes) await usage.noteLeak(id, note);

    const { addresses = [], ...leak } = (await leakOf(id)) ?? {};
    expect(leak).toEqual({ token_id: id, time: at(29), source_ip: address(9).source_ip });
    expect(addresses.toSorted((one, other) => one.source_ip.localeCompare(other.source_ip))).toEqual(
      Array.from({ length: 10 }, (_, index) => ({ ...address(index), last_at: at(index + 20) })),
    );
  });

  test("name at most twenty addresses, keep the first ones, and say when a further one came", async () => {
    const id = absentId();
    await usage.noteLeak(id, [address(1)]);
    await usage.noteLeak(
      id,
      Array.from({ length: 300 }, (_, index) => address(index + 2)),
    );

    const leak = await leakOf(id);
    expect(leak).toMatchObject({ time: at(301), unlisted_at: at(301) });
    expect(leak?.addresses).toHaveLength(20);
    expect(leak?.addresses[0]).toEqual(address(1));
    expect(await leakOf(id, at(302))).toBeUndefined();
  });

  test("name a new address in place of one that last came eight days before", async () => {
    const id = absentId();
    const nextWeek = 8 * 24 * 60;
    await usage.noteLeak(
      id,
      Array.from({ length: 20 }, (_, index) => address(index)),
    );
    await usage.noteLeak(id, [address(99, nextWeek + 1)]);

    const { addresses = [] } = (await leakOf(id)) ?? {};
    expect(addresses).toHaveLength(20);
    expect(addresses).toContainEqual(address(99, nextWeek + 1));
    expect(addresses).not.toContainEqual(address(0));
  });

  test("can be noted by version 1.0, too, which overwrites the last one", async () => {
    const id = absentId();
    const key = { subject: { S: "leaks" }, entry: { S: id } };
    const old = { seen_at: { S: at(1) }, source_ip: { S: "192.0.2.1" }, delete_at: { N: "1795000000" } };
    await place.client.send(new PutItemCommand({ TableName: place.table, Item: { ...key, ...old } }));
    await usage.noteLeak(id, [address(2)]);
    await place.client.send(
      new UpdateItemCommand({
        TableName: place.table,
        Key: key,
        UpdateExpression: "SET seen_at = :time, source_ip = :source_ip",
        ExpressionAttributeValues: { ":time": { S: at(3) }, ":source_ip": { S: "192.0.2.3" } },
      }),
    );
    expect((await leakOf(id))?.addresses.map(({ source_ip }) => source_ip)).toEqual([
      "192.0.2.1",
      address(2).source_ip,
      "192.0.2.3",
    ]);
  });
});
