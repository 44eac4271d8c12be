import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { type Item, toItem } from "../../../../lambdas/dynamodb/records.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import type { UsageStore } from "../../../../lambdas/resources/usage/usage-store.ts";
import { absentId } from "../../../../tools/support/tokens.ts";
import { type TestTable, useDatabase } from "../../support/database.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const database = useDatabase();
let place: TestTable;
let usage: UsageStore;
beforeAll(async () => {
  place = await database.newTable("subject", "entry");
  usage = openStore(declaredTables.usage, { client: place.client, tableName: place.table });
});

const hour = "2026-11-21T15:00:00.000Z";
const time = "2026-11-21T15:10:00.000Z";
const address = { source_ip: "192.0.2.66", first_at: time, last_at: time };
const counted = { ...address, calls: 1 };
const refusal = { time, code: "ip_not_allowed", status: 403, source_ip: "192.0.2.66", route: "GET /", leak: true };
const share = { hour, statuses: { "2xx": 1 }, codes: {}, leak_signals: 0, leaks: [], refusals: [] };

const store = (item: Item) => place.client.send(new PutItemCommand({ TableName: place.table, Item: item }));

/** An hour with every attribute, as the store writes it. */
const wholeHour = (token: string) =>
  toItem({
    ...{ subject: token, entry: hour, first_used_at: time, last_used_at: time, delete_at: 1_795_000_000 },
    ...{ status_2xx: 1, code_ip_not_allowed: 1, leak_signals: 1, leak_addresses: JSON.stringify([counted]) },
    ...{ refusal_7: JSON.stringify({ ...refusal, leak: false }), leak_3: JSON.stringify(refusal) },
    ...{ batches: new Set(["one"]), earlier_batches: new Set(["two"]) },
  });

const wholeNote = (token: string) =>
  toItem({
    ...{ subject: "leaks", entry: token, seen_at: time, source_ip: "192.0.2.66", delete_at: 1_795_000_000 },
    ...{ addresses: JSON.stringify([address]), unlisted_at: time },
  });

/** Values that no attribute of the table ever has, except for those of the type named first. */
const forms: [string, AttributeValue][] = [
  ["N", { N: "1" }],
  ["SS", { SS: ["one"] }],
  ["a BOOL", { BOOL: true }],
  ["NULL", { NULL: true }],
  ["an M", { M: {} }],
  ["an L", { L: [] }],
  ["a B", { B: new Uint8Array([1]) }],
  ["an NS", { NS: ["1"] }],
  ["an empty text", { S: "" }],
  ["another text", { S: "x" }],
];

const times = ["2026-11-21", "2026-02-30T00:00:00.000Z", "2026-11-21T15:10:00Z", "Sat, 21 Nov 2026 15:10:00 GMT"];
const numbers = ["0", "-1", "1.5", "9007199254740993"];
const addresses = ["192.0.2.066", "2001:DB8::1", "192.0.2.0/24", "example.com"];
const json = (values: unknown[]): AttributeValue[] => values.map((value) => ({ S: JSON.stringify(value) }));
const texts = (values: string[]): AttributeValue[] => values.map((S) => ({ S }));
const counts: AttributeValue[] = numbers.map((N) => ({ N }));
const otherRefusals = [
  null,
  [],
  { ...refusal, time: "2026-11-21T25:10:00.000Z" },
  { ...refusal, status: 99 },
  { ...refusal, status: "403" },
  { ...refusal, code: "A code" },
  { ...refusal, source_ip: "somewhere" },
  { ...refusal, route: "r".repeat(301) },
  { ...refusal, leak: "true" },
  { ...refusal, leak: undefined },
];
const otherAddresses = [
  ...[{}, { ...counted, calls: undefined, source_ip: 1 }, { ...counted, first_at: "then" }],
  { ...counted, first_at: "2026-11-21T15:11:00.000Z" },
];
const otherLists = [
  ...[null, {}, [], ...otherAddresses.map((one) => [one]), [counted, counted]],
  Array.from({ length: 21 }, (_, index) => ({ ...counted, source_ip: `192.0.2.${index}` })),
];

/** The type of each attribute, and values of this type that the store never writes. */
const hourAttributes: Record<string, [keyof AttributeValue, AttributeValue[]]> = {
  first_used_at: ["S", texts(times)],
  last_used_at: ["S", texts(times)],
  delete_at: ["N", counts],
  status_2xx: ["N", counts],
  code_ip_not_allowed: ["N", counts],
  leak_signals: ["N", counts],
  leak_addresses: ["S", json([...otherLists, [{ ...counted, calls: 0 }], [{ ...counted, calls: undefined }]])],
  refusal_7: ["S", json(otherRefusals)],
  leak_3: ["S", json(otherRefusals)],
  batches: ["SS", []],
  earlier_batches: ["SS", []],
};
const noteAttributes: Record<string, [keyof AttributeValue, AttributeValue[]]> = {
  seen_at: ["S", texts(times)],
  source_ip: ["S", texts(addresses)],
  unlisted_at: ["S", texts(times)],
  addresses: ["S", json(otherLists)],
  delete_at: ["N", counts],
};

/** Every attribute with every value that it cannot have. */
const damages = (attributes: typeof hourAttributes): [string, AttributeValue][] =>
  Object.entries(attributes).flatMap(([name, [type, values]]) =>
    [...forms.map(([, value]) => value).filter((value) => type === "S" || !(type in value)), ...values].map(
      (value): [string, AttributeValue] => [name, value],
    ),
  );

test("what the store writes is read", async () => {
  const token = absentId();
  await store(wholeHour(token));
  await store(wholeNote(token));
  expect(await usage.hours(token, hour)).toHaveLength(1);
  expect(await usage.leaks(hour)).toContainEqual(
    expect.objectContaining({ token_id: token, addresses: [address], unlisted_at: time }),
  );
});

describe("an hour is refused, with a message that names the attribute,", () => {
  test.each(damages(hourAttributes))("if its %s is %j", async (name, value) => {
    const token = absentId();
    await store({ ...wholeHour(token), [name]: value });
    const error = await apiErrorOf(usage.hours(token, hour));
    expect({ code: error.code, cause: String(error.cause) }).toEqual({
      code: "unavailable",
      cause: expect.stringContaining(name),
    });
  });

  test.each(["2026-11-21T15:10:00.000Z", "2026-11-21T15", "x"])("if it begins at %s", async (entry) => {
    const token = absentId();
    await store({ ...wholeHour(token), entry: { S: entry } });
    expect(String((await apiErrorOf(usage.hours(token, "0"))).cause)).toContain("entry");
  });

  test("also when a batch is added that depends on it, and stays as it is", async () => {
    const token = absentId();
    await store({ ...wholeHour(token), last_used_at: { N: "1" } });
    const error = await apiErrorOf(usage.add(token, { ...share, last_used_at: time }, "three"));
    expect(String(error.cause)).toContain("last_used_at");
  });
});

describe("noted leaks are refused, with a message that names the attribute,", () => {
  test.each(damages(noteAttributes))("if their %s is %j", async (name, value) => {
    const own = await database.newTable("subject", "entry");
    const notes = openStore(declaredTables.usage, { client: own.client, tableName: own.table });
    const token = absentId();
    const put = (item: Item) => own.client.send(new PutItemCommand({ TableName: own.table, Item: item }));
    await put({ ...wholeNote(token), [name]: value });
    const error = await apiErrorOf(notes.leaks(hour));
    expect({ code: error.code, cause: String(error.cause) }).toEqual({
      code: "unavailable",
      cause: expect.stringContaining(name),
    });
    expect((await apiErrorOf(notes.noteLeak(token, [address]))).code).toBe("unavailable");
  });

  test.each(["seen_at", "source_ip"])("if they have no %s", async (name) => {
    const token = absentId();
    const { [name]: _, ...rest } = wholeNote(token);
    const own = await database.newTable("subject", "entry");
    const notes = openStore(declaredTables.usage, { client: own.client, tableName: own.table });
    await own.client.send(new PutItemCommand({ TableName: own.table, Item: rest }));
    expect(String((await apiErrorOf(notes.leaks(hour))).cause)).toContain(name);
  });
});
