import { endpointsWith, fields, recordTable } from "integration-api";
import * as z from "zod/mini";
import { customerId, customersTable } from "../customers/declared.ts";

export const orderId = fields.text({ min: 1, max: 40 }).check(z.meta({ examples: ["A-1001"] }));
export const ordersTable = recordTable({
  partitionKey: "order_id",
  schema: z.object({
    order_id: orderId,
    customer_id: customerId,
    total_cents: fields.wholeNumber({ min: 1, max: 999_999_999 }).check(z.meta({ examples: [4990] })),
  }),
});
export const order = ordersTable.schema;

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
