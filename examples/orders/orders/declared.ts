import { endpointsWith, fields, formats, recordTable } from "integration-api";
import * as z from "zod/mini";
import { customerId, customersTable } from "../customers/declared.ts";

export const orderId = fields.text({ min: 1, max: 40 }).check(z.meta({ examples: ["A-1001"] }));
export const order = z.object({
  order_id: orderId,
  customer_id: customerId,
  total_cents: z.number().check(z.meta({ type: "integer", examples: [4990] })),
  updated_at: fields.time("When the order was placed."),
});

const ordersTable = recordTable({
  partitionKey: "order_id",
  fields: {
    order_id: formats.textOfLength({ min: 1, max: 40 }),
    customer_id: formats.textOfLength({ min: 1, max: 40 }),
    total_cents: formats.wholeNumber({ min: 1, max: 999_999_999 }),
  },
  example: { order_id: "A-1001", customer_id: "acme", total_cents: 4990 },
});

/** What belongs to orders besides their endpoints. */
export const declared = {
  tables: { orders: ordersTable, customers: customersTable },
  errors: {
    order_not_found: {
      status: 404,
      message: "There is no order with this order_id.",
      when: "No order has this `order_id`.",
      solve: "Check it, or list the orders.",
    },
  },
} as const;

export const endpoint = endpointsWith(declared);
