import { fields } from "integration-api";
import * as z from "zod/mini";
import { customerId } from "../customers/declared.ts";
import { endpoint, order, orderId } from "./declared.ts";

export const placeOrder = endpoint({
  method: "POST",
  path: "/order",
  summary: "Place an order",
  description: "Stores an order. It is safe to repeat a request whose response was lost.",
  uses: { orders: ["create"], customers: ["get"] },
  form: z.object({
    order_id: orderId,
    customer_id: customerId,
    total_cents: fields.sentWholeNumber({ min: 1, max: 999_999_999, description: "The total in cents." }),
  }),
  validationErrors: {
    taken: { order_id: ["The order_id has already been taken."] },
    unknown_customer: { customer_id: ["There is no such customer."] },
  },
  responses: { 200: { description: "The order, whether it was placed now or before.", body: order } },
  example: { form: { order_id: "A-1001", customer_id: "acme", total_cents: "4990" } },
  async handler({ form }, { orders, customers }, errors) {
    if (!(await customers.get(form.customer_id))) throw errors.unknown_customer();
    const { outcome, record } = await orders.create(form);
    if (outcome === "taken") throw errors.taken();
    return { status: 200, body: record };
  },
});
