import { fields, recordTable } from "integration-api";
import * as z from "zod/mini";
import { customerId } from "../customers/declared.ts";

export const shipmentId = fields.id({ max: 40 }).check(fields.example("S-1001"));
const status = z.enum(["created", "packed", "shipped", "delivered"]);

const address = z.object({
  name: fields.text({ min: 1, max: 100 }).check(fields.example("Ada Lovelace")),
  street: fields.text({ min: 1, max: 200 }).check(fields.example("Am Sandtorkai 1")),
  postal_code: fields.text({ min: 1, max: 20 }).check(fields.example("20457")),
  city: fields.text({ min: 1, max: 100 }).check(fields.example("Hamburg")),
  country: z.string().check(z.regex(/^[A-Z]{2}$/, "must be two capital letters."), fields.example("DE")),
});

const line = z.object({
  sku: fields.id({ max: 40 }).check(fields.example("LAMP-7")),
  quantity: fields.wholeNumber({ min: 1, max: 10_000 }).check(fields.example(2)),
  unit_price: fields.decimal({ places: 2, min: "0.00", max: "99999.99" }).check(fields.example("49.90")),
  fragile: z._default(z.boolean(), false),
});

/** What clients decide about a shipment, and may change until it leaves. */
export const contents = z.object({
  recipient: address,
  lines: z.array(line).check(z.minLength(1), z.maxLength(100)),
  weight_kg: fields.decimal({ places: 3, min: "0.001", max: "1000.000" }).check(fields.example("7.250")),
  deliver_on: z.nullable(fields.date("The requested day of delivery; `null` for as soon as possible.")),
  note: z.optional(fields.text({ min: 1, max: 500 }).check(fields.example("Ring twice."))),
});

export const newShipment = z.object({ shipment_id: shipmentId, customer_id: customerId, ...contents.shape });

export const shipmentsTable = recordTable({
  partitionKey: "shipment_id",
  schema: z.extend(newShipment, { status }),
  indexes: {
    byCustomer: { partition: ["customer_id"], sort: "created_at" },
    byCustomerStatus: { partition: ["customer_id", "status"], sort: "created_at" },
  },
  changes: { partition: ["customer_id"] },
});

export const newEvent = z.object({
  occurred_at: fields.time("When it happened."),
  status: z.enum(["packed", "shipped", "delivered"]),
  place: z.optional(fields.text({ min: 1, max: 100 }).check(fields.example("Hamburg"))),
});

export const eventsTable = recordTable({
  partitionKey: "shipment_id",
  sortKey: "occurred_at",
  schema: z.extend(newEvent, { shipment_id: shipmentId }),
});
