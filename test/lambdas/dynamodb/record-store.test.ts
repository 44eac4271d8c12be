import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { pageQuery } from "../../../lambdas/dynamodb/page-query.ts";
import { positionsIn } from "../../../lambdas/dynamodb/position.ts";
import { recordTable } from "../../../lambdas/dynamodb/record-table.ts";
import { versionOf } from "../../../lambdas/dynamodb/versions.ts";
import { ArgumentRefused } from "../../../lambdas/shared/errors/argument-refused.ts";
import { RecordRefused } from "../../../lambdas/shared/errors/record-refused.ts";
import { anyVersion, noVersion } from "../../../lambdas/shared/http/entity-tags.ts";
import { decimal } from "../../../lambdas/shared/validation/decimal.ts";
import { date, text, time, wholeNumber } from "../../../lambdas/shared/validation/fields.ts";
import { encodeCursor, foreignCursor } from "../../../lambdas/shared/validation/paging.ts";
import { insteadOfNextAttempts, noteRequests } from "../support/client-requests.ts";
import { stopClock } from "../support/clock.ts";
import { captureLog } from "../support/outcomes.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

const name = text({ min: 1, max: 40 });
const line = z.object({ sku: name, quantity: wholeNumber({ min: 1, max: 99 }), note: z.optional(name) });

const parcelsTable = recordTable({
  partitionKey: "parcel_id",
  schema: z.object({
    parcel_id: name,
    customer_id: name,
    status: z.enum(["created", "packed", "shipped"]),
    price: decimal({ places: 2, min: "0.00", max: "999999999999999999.99" }),
    weight_grams: wholeNumber({ min: 0, max: 100_000 }),
    is_insured: z.boolean(),
    due_on: z.nullable(date()),
    collected_at: z.optional(time()),
    address: z.object({ street: name, floor: z.nullable(z.int()), country: z.optional(name) }),
    lines: z.array(line).check(z.minLength(1)),
    labels: z._default(z.array(z.string()), []),
  }),
  indexes: {
    byCustomer: { partition: ["customer_id"], sort: "created_at" },
    byStatus: { partition: ["customer_id", "status"], sort: "weight_grams" },
    byPrice: { partition: ["customer_id"], sort: "price" },
  },
});

const eventsTable = recordTable({
  partitionKey: "parcel_id",
  sortKey: "number",
  schema: z.object({ parcel_id: name, number: wholeNumber({ min: 1, max: 1_000_000 }), text: name }),
});

const database = useDatabase();
const { store: parcels, client, put, itemOf, tableName } = await openTestStore(parcelsTable, database);
const { store: events, client: clientOfEvents } = await openTestStore(eventsTable, database);

let count = 0;
const parcel = (fields: Partial<Parameters<typeof parcels.create>[0]> = {}): Parameters<typeof parcels.create>[0] => {
  count += 1;
  return {
    parcel_id: `P-${count}`,
    customer_id: "acme",
    status: "created",
    price: "12.50",
    weight_grams: 250,
    is_insured: false,
    due_on: null,
    address: { street: "Main St", floor: null },
    lines: [{ sku: "A", quantity: 1, note: "fragile" }],
    labels: [],
    ...fields,
  };
};
const created = async (fields: Partial<Parameters<typeof parcels.create>[0]> = {}) =>
  (await parcels.create(parcel(fields))).record;

/** Lets the store's first attempts find that the records have been at rest. */
const later = () => stopClock(60_000);

test("a record comes back as it was written, and is stored in DynamoDB's own types", async () => {
  const written = parcel({ price: "100000000000000000.10", collected_at: "2026-11-21T10:15:30.123Z" });
  const { outcome, record } = await parcels.create(written);
  expect([outcome, record]).toEqual([
    "created",
    { ...written, created_at: record.updated_at, updated_at: record.updated_at },
  ]);
  expect(await parcels.get(written.parcel_id)).toEqual(record);
  expect(await itemOf({ parcel_id: written.parcel_id })).toMatchObject({
    price: { N: "100000000000000000.1" },
    is_insured: { BOOL: false },
    due_on: { NULL: true },
    lines: { L: [{ M: { sku: { S: "A" }, quantity: { N: "1" }, note: { S: "fragile" } } }] },
  });
});

test("creating the same record again finds it, and another record with its key does not replace it", async () => {
  const written = parcel();
  const { record } = await parcels.create(written);
  expect(await parcels.create({ ...written, labels: [] })).toEqual({ outcome: "unchanged", record });
  expect(await parcels.create({ ...written, price: "12.51" })).toEqual({ outcome: "taken", record });
  const winners = await Promise.all(
    ["1", "2", "3"].map((street) => parcels.create(parcel({ parcel_id: "one", address: { street, floor: null } }))),
  );
  expect(winners.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
});

test("a put replaces the whole record except for the time of its creation", async () => {
  const { collected_at: _, ...written } = parcel({ address: { street: "Main St", floor: 2, country: "CH" } });
  const first = await parcels.put({ ...written, collected_at: "2026-11-21T10:15:30.123Z" });
  const second = await parcels.put({ ...written, status: "packed" });
  expect([first.outcome, second.outcome]).toEqual(["created", "replaced"]);
  expect(second.record).toEqual({
    ...written,
    status: "packed",
    created_at: first.record.created_at,
    updated_at: second.record.updated_at,
  });
  expect(second.record.updated_at > first.record.updated_at).toBe(true);
});

test("an update merges its patch into the record, and leaves what it does not name", async () => {
  const { parcel_id, ...record } = await created({
    collected_at: "2026-11-21T10:15:30.123Z",
    address: { street: "Main St", floor: 2, country: "CH" },
  });
  await put({ ...(await itemOf({ parcel_id })), from_a_later_release: { S: "kept" } });
  const updated = await parcels.update(parcel_id, {
    address: { floor: null, country: null },
    collected_at: null,
    lines: [{ sku: "B", quantity: 2 }],
  });
  const { collected_at: _, ...rest } = record;
  expect(updated).toEqual({
    outcome: "updated",
    record: {
      parcel_id,
      ...rest,
      address: { street: "Main St", floor: null },
      lines: [{ sku: "B", quantity: 2 }],
      updated_at: expect.any(String),
    },
  });
  expect(await itemOf({ parcel_id })).toMatchObject({ from_a_later_release: { S: "kept" } });
  expect(await parcels.update("none", { status: "packed" })).toEqual({ outcome: "not found" });
});

test("an update asks its function once if no other change comes first", async () => {
  const { parcel_id } = await created();
  const seen: string[] = [];
  await parcels.update(parcel_id, ({ status }) => {
    seen.push(status);
    return { status: "packed", collected_at: null };
  });
  expect(seen).toEqual(["created"]);
});

test("an update by a function counts exactly, however many run at once", async () => {
  // A change that competes with others gives up after a while.
  stopClock();
  const { parcel_id } = await created({ weight_grams: 0 });
  const results = await Promise.all(
    Array.from({ length: 6 }, () =>
      parcels.update(parcel_id, ({ weight_grams }) => ({ weight_grams: weight_grams + 1 })),
    ),
  );
  expect(new Set(results.map(({ record }) => record?.weight_grams)).size).toBe(6);
  expect((await parcels.get(parcel_id))?.weight_grams).toBe(6);
});

test("of simultaneous transitions from one state, exactly one is made", async () => {
  const { parcel_id } = await created();
  const ship = () => parcels.update(parcel_id, { status: "shipped" }, { if: { status: ["created", "packed"] } });
  const outcomes = (await Promise.all([ship(), ship(), ship()])).map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(["refused", "refused", "updated"]);
  expect(await parcels.delete(parcel_id, { if: ({ status }) => status !== "shipped" })).toMatchObject({
    outcome: "refused",
    record: { status: "shipped" },
  });
});

test("each change to another version is rejected, unless it has already been made", async () => {
  const { parcel_id, ...record } = await created();
  const old = { ifMatch: [versionOf(record)] };
  const packed = await parcels.update(parcel_id, { status: "packed" }, old);
  expect(packed.outcome).toBe("updated");
  expect(await parcels.update(parcel_id, { status: "packed" }, old)).toEqual(packed);
  const { created_at: _, updated_at: __, ...content } = { parcel_id, ...record };
  const impossible = () => {
    throw new Error("Only a created parcel can be changed.");
  };
  const others = { ...old, if: { customer_id: "globex" } };
  later();
  const outcomes = [
    await parcels.update(parcel_id, {}, others),
    await parcels.update(parcel_id, { status: "shipped" }, old),
    await parcels.update(parcel_id, { lines: [] }, old),
    await parcels.update(parcel_id, impossible, old),
    await parcels.put({ ...content, status: "shipped" }, old),
    await parcels.put(parcel({ parcel_id: "none" }), old),
    await parcels.delete(parcel_id, old),
    await parcels.delete("none", old),
    await parcels.put({ ...content, status: "packed" }, old),
    await parcels.delete(parcel_id, { ifMatch: [versionOf(packed.record ?? record)] }),
  ].map(({ outcome }) => outcome);
  expect(outcomes).toEqual([...Array(7).fill("changed"), "not found", "replaced", "deleted"]);
});

test("a put can require that the record exists, or that it does not", async () => {
  const { parcel_id, created_at: _, updated_at: __, ...content } = await created();
  const [exists, isNew] = [{ ifMatch: [anyVersion] }, { ifMatch: [noVersion] }];
  const packed = { parcel_id, ...content, status: "packed" as const };
  const absent = parcel({ parcel_id: "absent" });
  const outcomes = [
    await parcels.put(absent, exists),
    await parcels.put(packed, isNew),
    await parcels.update(parcel_id, { status: "shipped" }, isNew),
    await parcels.delete(parcel_id, isNew),
    await parcels.put(packed, exists),
    await parcels.put(absent, isNew),
    await parcels.put(absent, isNew),
    await parcels.update(parcel_id, { status: "shipped" }, exists),
    await parcels.delete(parcel_id, exists),
    await parcels.put(packed, exists),
    await parcels.put(packed, isNew),
  ].map(({ outcome }) => outcome);
  const others = ["replaced", "created", "changed", "updated", "deleted", "changed", "created"];
  expect(outcomes).toEqual([...Array(4).fill("changed"), ...others]);
});

test("a deleted record is gone from everywhere, leaves nothing of itself, and can be created again", async () => {
  const { parcel_id } = await created({ customer_id: "deleting" });
  expect(await parcels.delete(parcel_id)).toEqual({ outcome: "deleted" });
  expect(await parcels.delete(parcel_id)).toEqual({ outcome: "not found" });
  expect(await parcels.update(parcel_id, { status: "packed" })).toEqual({ outcome: "not found" });
  expect(await parcels.get(parcel_id)).toBeUndefined();
  expect((await parcels.byCustomer({ customer_id: "deleting" })).records).toEqual([]);
  expect(Object.keys(await itemOf({ parcel_id })).toSorted()).toEqual([
    "change_shard",
    "delete_at",
    "deletion_id",
    "parcel_id",
    "updated_at",
  ]);
  const again = await parcels.create(parcel({ parcel_id, customer_id: "deleting" }));
  expect(again.outcome).toBe("created");
  expect((await parcels.byCustomer({ customer_id: "deleting" })).records).toEqual([again.record]);
  expect(await itemOf({ parcel_id })).not.toHaveProperty("delete_at");
});

test.for<[string, (fields: { lines?: never[] }) => Promise<unknown>]>([
  ["create", (fields) => parcels.create(parcel(fields))],
  ["put", (fields) => parcels.put(parcel(fields))],
  ["update", async (fields) => parcels.update((await created()).parcel_id, fields)],
])("%s refuses a record that its schema refuses, and names the field", async ([, write]) => {
  const error = await write({ lines: [] }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RecordRefused);
  expect(Object.keys(Object(error).fields)).toEqual(["lines"]);
  const large = await parcels
    .put(parcel({ labels: Array(400).fill("x".repeat(1_100)) }))
    .catch((thrown: unknown) => thrown);
  expect(Object(large).fields).toEqual({ labels: ["The labels is too large: a record has at most 399 KB."] });
});

test("pages of an index come in either order, within bounds, and continue where they ended", async () => {
  const customer_id = "pages";
  for (const weight_grams of [5, 40, 40, 2_000, 10_000]) await created({ customer_id, weight_grams, status: "packed" });
  const weights = async (request: Parameters<typeof parcels.byStatus>[1]) => {
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await parcels.byStatus({ customer_id, status: "packed" }, { limit: 2, ...request, cursor });
      found.push(...page.records.map(({ weight_grams }) => weight_grams));
      expect(page.records.length).toBeLessThanOrEqual(2);
      cursor = page.next;
      if (cursor !== undefined)
        expect(z.safeParse(pageQuery(parcelsTable, "byStatus"), { cursor: encodeCursor(cursor) }).success).toBe(true);
    } while (cursor !== undefined);
    return found;
  };
  expect(await weights({})).toEqual([5, 40, 40, 2_000, 10_000]);
  expect(await weights({ order: "descending" })).toEqual([10_000, 2_000, 40, 40, 5]);
  expect(await weights({ from: 40, to: 2_000 })).toEqual([40, 40, 2_000]);
  expect(await weights({ order: "descending", from: 41 })).toEqual([10_000, 2_000]);
  expect(await weights({ from: 3, to: 2 })).toEqual([]);
  expect((await parcels.byStatus({ customer_id, status: "created" })).records).toEqual([]);
});

test("a cursor from outside of a page's bounds leads to its beginning or to its end", async () => {
  const customer_id = "bounds";
  for (const weight_grams of [1, 2, 3]) await created({ customer_id, weight_grams });
  const key = { customer_id, status: "created" as const };
  const { next: cursor } = await parcels.byStatus(key, { limit: 2 });
  const weights = async (request: Parameters<typeof parcels.byStatus>[1]) =>
    (await parcels.byStatus(key, { cursor, ...request })).records.map(({ weight_grams }) => weight_grams);
  expect(await weights({ from: 3 })).toEqual([3]);
  expect(await weights({ to: 1 })).toEqual([]);
  expect(await weights({ order: "descending", to: 1 })).toEqual([1]);
  expect(await weights({ order: "descending", from: 3 })).toEqual([]);
});

const readings = recordTable({
  partitionKey: "meter",
  sortKey: "value",
  schema: z.object({ meter: name, value: z.number(), raw: z._default(z.unknown(), null) }),
});

test("numbers of any size are stored exactly, in order, and found by bounds and cursors", async () => {
  const { store } = await openTestStore(readings, database);
  const sorted = [-1e21, -1.5, -1e-7, 0, 1.2345678901234567e-100, 1e-7, 0.1 + 0.2, 1e16, 1e21, 1.5e125];
  for (const value of sorted) await store.put({ meter: "m", value, raw: { value } });
  for (const [place, value] of sorted.entries()) {
    expect(await store.get({ meter: "m", value })).toMatchObject({ value, raw: { value } });
    const values = async (request: object) => (await store.query("m", request)).records.map((record) => record.value);
    expect(await values({ from: value })).toEqual(sorted.slice(place));
    expect(await values({ to: value, order: "descending" })).toEqual(sorted.slice(0, place + 1).toReversed());
    const { next: cursor } = await store.query("m", { limit: place + 1 });
    if (cursor === undefined) continue;
    expect(z.safeParse(pageQuery(readings, "query"), { cursor: encodeCursor(cursor) }).success).toBe(true);
    expect(await values({ cursor, to: value })).toEqual([]);
    expect(await values({ cursor, from: value, order: "descending" })).toEqual([]);
    expect(await values({ cursor })).toEqual(sorted.slice(place + 1));
  }
});

test("numbers, text and names that DynamoDB cannot store are rejected at any depth", async () => {
  const { store } = await openTestStore(readings, database);
  const problemsOf = async (raw: unknown) =>
    Object(await store.put({ meter: "m", value: 1, raw }).catch((thrown: unknown) => thrown)).fields?.raw;
  for (const number of [1e126, -1.7e308, 1e-131, 5e-324])
    expect(await problemsOf([{ number }])).toEqual(["The raw has a number that is too large, or too close to 0."]);
  for (const name of ["", "n".repeat(65_536)])
    expect(await problemsOf([{ [name]: 1 }])).toEqual(["The raw has a member whose name is empty or too long."]);
  const half = "🚚".slice(0, 1);
  for (const part of [half, { [half]: 1 }])
    expect(await problemsOf([part])).toEqual(["The raw has text that is not well-formed Unicode."]);
});

test("undefined members of an unknown value are left out, as in JSON", async () => {
  const { store } = await openTestStore(readings, database);
  const { record } = await store.put({ meter: "m", value: 1, raw: { a: 1, b: undefined } });
  expect(record.raw).toStrictEqual({ a: 1 });
});

test("ignores a position that no item can have, because DynamoDB would reject it", () => {
  const positions = positionsIn(eventsTable);
  const [digits, zeros] = ["1".repeat(19), "0".repeat(125)];
  for (const number of ["0", "-0", "-12.5", `${digits}.${digits}`, `1${zeros}`, `0.${zeros}00001`])
    expect(positions.keyOf(JSON.stringify(["P", number]))).toBeDefined();
  for (const number of [`${digits}.${digits}1`, `1${zeros}0`, `0.${zeros}000001`, "1e126", "NaN", ".1", "1."])
    expect(positions.keyOf(JSON.stringify(["P", number]))).toBeUndefined();
  const byText = positionsIn({ ...eventsTable, sortKey: "text" });
  const keyOf = (length: number) => byText.keyOf(JSON.stringify(["P", "x".repeat(length)]));
  expect([keyOf(1024), keyOf(1025)]).toEqual([expect.anything(), undefined]);
});

test("a query that names several lists accepts their cursors, and a list rejects the cursor of another", async () => {
  const customer_id = "lists";
  for (const weight_grams of [1, 2]) await created({ customer_id, weight_grams });
  const { next = "" } = await parcels.byCustomer({ customer_id }, { limit: 1 });
  const accepts = (...by: Parameters<typeof pageQuery<typeof parcelsTable>>[1][]) =>
    z.safeParse(pageQuery(parcelsTable, ...by), { cursor: encodeCursor(next) }).success;
  expect([accepts("byStatus"), accepts("byStatus", "byCustomer")]).toEqual([false, true]);
  const page = parcels.byStatus({ customer_id, status: "created" }, { cursor: next });
  await expect(page).rejects.toThrow(new ArgumentRefused(next, foreignCursor));
});

test("values that a key cannot have are rejected, and an empty bound has no effect", async () => {
  const long = "x".repeat(1_025);
  const calls: (() => Promise<unknown>)[] = ["", `${long}${long}`].flatMap((id) => [
    () => parcels.get(id),
    () => parcels.update(id, {}),
    () => parcels.delete(id),
    () => parcels.byCustomer({ customer_id: id }),
  ]);
  calls.push(
    () => parcels.byCustomer({ customer_id: "acme" }, { from: long }),
    () => parcels.byCustomer({ customer_id: "acme" }, { to: long }),
    () => parcels.byPrice({ customer_id: "acme" }, { from: "many" }),
    () => events.query("P", { to: Number.POSITIVE_INFINITY }),
    () => events.get({ parcel_id: "P", number: 1e126 }),
  );
  for (const call of calls) await expect((async () => call())()).rejects.toThrow(ArgumentRefused);
  const { records } = await parcels.byCustomer({ customer_id: "prices" }, { from: "" });
  expect(await parcels.byCustomer({ customer_id: "prices" }, { to: "" })).toMatchObject({ records: [] });
  expect(records).toEqual((await parcels.byCustomer({ customer_id: "prices" })).records);
});

test("decimals are sorted as numbers", async () => {
  const customer_id = "prices";
  for (const price of ["9.00", "10.50", "100.25"]) await created({ customer_id, price });
  const { records } = await parcels.byPrice({ customer_id }, { from: "9.50", order: "descending" });
  expect(records.map(({ price }) => price)).toEqual(["100.25", "10.50"]);
  const [from, to] = ["999999999999999999.99", "999999999999999999.98"];
  expect(await parcels.byPrice({ customer_id }, { from, to })).toMatchObject({ records: [] });
});

test("reads of a partition are strongly consistent, and in the order of the sort key", async () => {
  for (const number of [2, 10, 1]) await events.create({ parcel_id: "P", number, text: "moved" });
  const requests = noteRequests(clientOfEvents);
  const { records, next } = await events.query("P", { order: "descending", limit: 2 });
  expect(records.map(({ number }) => number)).toEqual([10, 2]);
  expect((await events.query("P", { order: "descending", cursor: next })).records.map(({ number }) => number)).toEqual([
    1,
  ]);
  expect((await events.get({ parcel_id: "P", number: 10 }))?.text).toBe("moved");
  expect((await events.update({ parcel_id: "P", number: 10 }, { text: "lost" })).outcome).toBe("updated");
  expect(await events.delete({ parcel_id: "P", number: 10 })).toEqual({ outcome: "deleted" });
  const all = await events.list({ limit: 1 });
  expect([...all.records, ...(await events.list({ cursor: all.next })).records]).toHaveLength(2);
  const pages = requests.filter(({ operation }) => operation === "Query" || operation === "Scan");
  expect(pages.map(({ input }) => Object(input).ConsistentRead)).toEqual([true, true, true, true]);
});

test("a record whose key has a decimal is read, listed, deleted and created again", async () => {
  const tariffs = recordTable({
    partitionKey: "zone",
    sortKey: "up_to_kg",
    schema: z.object({ zone: name, up_to_kg: decimal({ places: 1, min: "0.0", max: "99.9" }) }),
  });
  const { store } = await openTestStore(tariffs, database);
  const [small, large] = [
    { zone: "EU", up_to_kg: "2.0" },
    { zone: "EU", up_to_kg: "10.5" },
  ];
  for (const key of [large, small]) await store.create(key);
  expect((await store.query("EU")).records).toMatchObject([small, large]);
  expect(await store.delete(small)).toEqual({ outcome: "deleted" });
  expect((await store.list()).records).toMatchObject([large]);
  expect([await store.get(small), (await store.create(small)).outcome]).toEqual([undefined, "created"]);
});

test("a record that breaks a later rule can still be read, changed and deleted", async () => {
  const { parcel_id } = await created({ customer_id: "narrowed" });
  const item = await itemOf({ parcel_id });
  await put({ ...item, status: { S: "lost" }, weight_grams: { N: "100001" } });
  expect(await parcels.get(parcel_id)).toMatchObject({ status: "lost", weight_grams: 100_001 });
  expect((await parcels.byCustomer({ customer_id: "narrowed" })).records).toMatchObject([{ status: "lost" }]);
  expect((await parcels.update(parcel_id, { status: "packed", weight_grams: 5 })).outcome).toBe("updated");
  expect((await parcels.delete(parcel_id)).outcome).toBe("deleted");
});

test("an odd item is left out of every page and logged with its id, and can be replaced or deleted", async () => {
  const customer_id = "odd";
  const { parcel_id } = await created({ customer_id });
  const other = await created({ customer_id });
  await put({ ...(await itemOf({ parcel_id })), lines: { S: "none" } });
  const log = captureLog();
  expect((await parcels.byCustomer({ customer_id })).records).toEqual([other]);
  expect((await parcels.list({ limit: 1000 })).records.map((record) => record.parcel_id)).not.toContain(parcel_id);
  expect(log.lines()).toMatchObject(
    Array(2).fill({ level: "ERROR", unreadable_record: { parcel_id }, table: tableName }),
  );
  await expect(parcels.get(parcel_id)).rejects.toMatchObject({ code: "unavailable" });
  later();
  expect((await parcels.put(parcel({ parcel_id, customer_id }))).outcome).toBe("replaced");
});

test("an attempt that takes effect late undoes nothing", async () => {
  const sent = noteRequests(client);
  const { parcel_id } = await created();
  await parcels.update(parcel_id, { status: "packed" });
  await parcels.delete(parcel_id);
  await parcels.create(parcel({ parcel_id, status: "shipped" }));
  const attempts = sent.filter(({ operation }) => operation === "UpdateItem");
  expect(attempts.length).toBeGreaterThanOrEqual(4);
  for (const { input } of attempts) {
    await expect(client.send(new UpdateItemCommand(Object(input)))).rejects.toThrow("The conditional request failed");
  }
  expect((await parcels.get(parcel_id))?.status).toBe("shipped");
});

test("a change whose response is lost is not confirmed by an equal change in the same millisecond", async () => {
  const { parcel_id } = await created({ weight_grams: 0 });
  later();
  const count = () => parcels.update(parcel_id, ({ weight_grams }) => ({ weight_grams: weight_grams + 1 }));
  insteadOfNextAttempts(client, "UpdateItemCommand", count);
  await expect(count()).rejects.toMatchObject({ code: "unavailable" });
  expect(await parcels.get(parcel_id)).toMatchObject({ weight_grams: 1 });
});
