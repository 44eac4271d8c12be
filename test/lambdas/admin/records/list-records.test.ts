import { expect, test } from "vitest";
import * as z from "zod/mini";
import { recordActions, shownTables } from "../../../../lambdas/admin/records/list-records.ts";
import { shownTable } from "../../../../lambdas/declaration/shown-records.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { recordTable } from "../../../../lambdas/dynamodb/record-table.ts";
import { decimal } from "../../../../lambdas/shared/validation/decimal.ts";
import { date, text, wholeNumber } from "../../../../lambdas/shared/validation/fields.ts";
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
    lines: z.array(z.object({ sku: label, price, code: z.optional(secret) })),
  }),
});
const shownNames = ["price", "is_paid", "status", "ship_on", "remark", "lines", "created_at"];

test("admins see fields of every kind, page by page, without secret fields and unreadable items", async () => {
  const { store, put, client, tableName } = await openTestStore(shipments);
  const line = { sku: "a", price: "1.50", code: "hush" };
  const content = { price: "12.50", is_paid: true, status: "sent", ship_on: null, pin: "hush", lines: [line] } as const;
  for (const number of [1, 2, 3]) await store.create({ customer_id: "c", number, ...content, lines: [line] });
  await store.delete({ customer_id: "c", number: 3 });
  await put({ customer_id: { S: "odd" }, number: { N: "1" }, price: { S: "free" } });

  const records = { shipments: shownTable("shipments", shipments, shownNames) };
  const { list_records: action } = recordActions(JSON.parse(JSON.stringify(records)));
  if (!action) throw new Error("there is no action");
  const readable = shownTables(JSON.parse(JSON.stringify(records))).shipments;
  if (!readable) throw new Error("there is no table");
  const stores = { shipments: openStore(readable, { client, tableName }) };
  const list = async (fields: object) =>
    z.parse(
      z.any(),
      await action.run(z.parse(action.input, { store: "shipments", ...fields }), {
        author: { by: "a", from: undefined, requestId: "r" },
        stores,
      }),
    );

  const whole = await list({});
  expect(whole.columns).toEqual({
    ...{ customer_id: "text", number: "number", price: "decimal", is_paid: "boolean", status: "text", ship_on: "date" },
    ...{ remark: "text", lines: "list", created_at: "time" },
  });
  const shown = { price: "12.50", is_paid: true, status: "sent", ship_on: null, lines: [{ sku: "a", price: "1.50" }] };
  const rows = [1, 2].map((number) => ({ customer_id: "c", number, ...shown, created_at: expect.any(String) }));
  expect(whole).toMatchObject({ id_column: "customer_id", sort_column: "number", left_out: 1, next_cursor: null });
  expect(whole.records).toEqual(rows);
  expect(JSON.stringify(whole)).not.toContain("hush");

  const first = await list({ limit: 1, prefix: "c" });
  const second = await list({ limit: 1, cursor: first.next_cursor });
  expect([...first.records, ...second.records]).toEqual(rows);
});

test("secret columns cannot be declared", () => {
  expect(() => shownTable("shipments", shipments, ["pin"])).toThrow("Admins cannot see the field pin of shipments");
});
