import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { recordActions, shownTables } from "../../../../lambdas/admin/records/list-records.ts";
import { shownTable } from "../../../../lambdas/declaration/shown-records.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { recordTable } from "../../../../lambdas/dynamodb/record-table.ts";
import { decimal } from "../../../../lambdas/shared/validation/decimal.ts";
import { date, text, wholeNumber } from "../../../../lambdas/shared/validation/fields.ts";
import { encodeCursor } from "../../../../lambdas/shared/validation/paging.ts";
import { openTestStore } from "../../support/stores.ts";

const label = text({ min: 1, max: 40 });
const secret = label.check(z.meta({ format: "password" }));
const price = decimal({ places: 2, min: "0.00", max: "999.99" });
const shipments = recordTable({
  partitionKey: "customer_id",
  sortKey: "number",
  schema: z.object({
    customer_id: label,
    number: wholeNumber({ min: 1, max: 9 }),
    price,
    is_paid: z.boolean(),
    status: z.enum(["created", "sent"]),
    ship_on: z.nullable(date()),
    remark: z.optional(label),
    pin: secret,
    weight: wholeNumber({ min: 1, max: 9 }),
    lines: z.array(z.object({ sku: label, price, code: z.optional(secret) })),
  }),
  indexes: {
    byStatus: { partition: ["status", "customer_id"], sort: "weight" },
    byPrice: { partition: ["price"], sort: "weight" },
    byPin: { partition: ["pin"], sort: "weight" },
    former: { partition: ["status"], sort: "weight", retired: true },
  },
});
const shownNames = ["price", "is_paid", "status", "ship_on", "remark", "lines", "created_at"];

/** Opens a table, and returns the action that lists what admins see of it. */
const openShown = async () => {
  const opened = await openTestStore(shipments);
  const records = JSON.parse(JSON.stringify({ shipments: shownTable("shipments", shipments, shownNames) }));
  const { list_records: action } = recordActions(records);
  if (!action) throw new Error("there is no action");
  const readable = shownTables(records).shipments;
  if (!readable) throw new Error("there is no table");
  const stores = { shipments: openStore(readable, opened) };
  const context = { author: { by: "a", from: undefined, requestId: "r" }, stores };
  const list = async (fields: object) =>
    z.parse(z.any(), await action.run(z.parse(action.input, { store: "shipments", ...fields }), context));
  return { ...opened, list };
};

const line = { sku: "a", price: "1.50", code: "hush" };
const content = { price: "12.50", is_paid: true, status: "sent", ship_on: null, pin: "hush", weight: 1 } as const;
const shown = { price: "12.50", is_paid: true, status: "sent", ship_on: null, lines: [{ sku: "a", price: "1.50" }] };

test("admins see fields of every kind, page by page, without secret fields and unreadable items", async () => {
  const { store, put, list } = await openShown();
  for (const number of [1, 2, 3]) await store.create({ customer_id: "c", number, ...content, lines: [line] });
  await store.delete({ customer_id: "c", number: 3 });
  await put({ customer_id: { S: "odd" }, number: { N: "1" }, is_paid: { S: "odd" } });

  const whole = await list({});
  expect(whole.columns).toEqual({
    ...{ customer_id: "text", number: "number", price: "decimal", is_paid: "boolean", status: "text", ship_on: "date" },
    ...{ remark: "text", lines: "list", created_at: "time" },
  });
  const rows = [1, 2].map((number) => ({ customer_id: "c", number, ...shown, created_at: expect.any(String) }));
  expect(whole).toMatchObject({
    id_column: "customer_id",
    sort_column: "number",
    left_out: 1,
    examined: 4,
    next_cursor: null,
  });
  expect(whole.records).toEqual(rows);
  expect(JSON.stringify(whole)).not.toContain("hush");

  const first = await list({ limit: 1, prefix: "c" });
  const second = await list({ limit: 1, cursor: first.next_cursor });
  expect([...first.records, ...second.records]).toEqual(rows);
});

test("finds records by an index with a query, in either order, and shows the field that sorts them", async () => {
  const { store, put, client, list } = await openShown();
  for (const [number, weight] of [5, 7, 6, 8].entries()) {
    const status = weight === 8 ? "created" : "sent";
    await store.create({ customer_id: "c", number: number + 1, ...content, status, weight, lines: [line] });
  }
  const odd = { customer_id: { S: "c" }, number: { N: "9" }, status: { S: "sent" }, weight: { N: "1" } };
  await put({ ...odd, is_paid: { S: "odd" } });
  const send = vi.spyOn(client, "send");
  const found = { index: "byStatus", where: { status: "sent", customer_id: "c" } };

  const first = await list({ ...found, limit: 2 });
  const second = await list({ ...found, limit: 2, cursor: first.next_cursor });
  expect(send.mock.calls.map(([command]) => command.constructor.name)).toEqual(["QueryCommand", "QueryCommand"]);
  const weights = ({ records }: { records: { weight: number }[] }) => records.map(({ weight }) => weight);
  expect([weights(first), weights(second), first.left_out + second.left_out]).toEqual([[7, 6], [5], 1]);
  expect(Object.keys(first.columns)).toEqual(["customer_id", "number", ...shownNames, "weight"]);
  expect(JSON.stringify([first, second])).not.toContain("hush");

  expect(weights(await list({ ...found, order: "ascending" }))).toEqual([5, 6, 7]);
  expect(weights(await list({ index: "byPrice", where: '{"price":"12.50"}' }))).toEqual([8, 7, 6, 5]);
  expect((await list({ index: "query", where: { customer_id: "c" }, limit: 1 })).records[0]).toMatchObject({
    number: 4,
  });
});

test("offers only indexes without secret fields, and says what their values can be", async () => {
  const { list } = await openShown();
  expect((await list({})).indexes).toEqual([
    { name: "query", partition: [{ name: "customer_id", kind: "text" }], sort: "number", sort_kind: "number" },
    {
      name: "byStatus",
      partition: [
        { name: "status", kind: "text", options: ["created", "sent"] },
        { name: "customer_id", kind: "text" },
      ],
      ...{ sort: "weight", sort_kind: "number" },
    },
    {
      ...{ name: "byPrice", partition: [{ name: "price", kind: "decimal", places: 2 }] },
      ...{ sort: "weight", sort_kind: "number" },
    },
  ]);
});

const byPrice = { index: "byPrice", where: { price: "12.50" } };

test.each([
  ["an index with a secret field", { index: "byPin", where: { pin: "hush" } }, "index"],
  ["the name of a member of every object", { index: "constructor", where: {} }, "index"],
  ["values without an index", { where: { price: "12.50" } }, "index"],
  ["a missing value", { index: "byStatus", where: { status: "sent" } }, "where.customer_id"],
  ["a value of a field of another index", { ...byPrice, where: { price: "12.50", status: "sent" } }, "where.status"],
  ["a value that is not permitted", { index: "byStatus", where: { status: "lost", customer_id: "c" } }, "where.status"],
  ["a number in place of a decimal", { ...byPrice, where: { price: 12.5 } }, "where.price"],
  ["an empty text", { index: "query", where: { customer_id: "" } }, "where.customer_id"],
  ["a prefix besides an index", { ...byPrice, prefix: "c" }, "prefix"],
  ["a cursor of another list", { ...byPrice, cursor: encodeCursor('["c","1"]') }, "cursor"],
])("rejects %s", async (_, fields, field) => {
  const { list } = await openShown();
  await expect(list(fields)).rejects.toMatchObject({ fields: { [field]: [expect.stringMatching(/^The |^These /)] } });
});

test("secret columns cannot be declared", () => {
  expect(() => shownTable("shipments", shipments, ["pin"])).toThrow("Admins cannot see the field pin of shipments");
  for (const pins of [z.array(secret), z.record(label, z.optional(secret))]) {
    const table = recordTable({ partitionKey: "id", schema: z.object({ id: label, pins }) });
    expect(() => shownTable("shipments", table, ["pins"])).toThrow("Admins cannot see the field pins of shipments");
  }
});
