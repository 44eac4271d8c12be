import * as z from "zod/mini";
import { endpoint, order, orderId } from "./declared.ts";

export const getOrder = endpoint({
  method: "GET",
  path: "/order/{order_id}",
  summary: "Read an order",
  description: "Returns the order with this `order_id`.",
  uses: { orders: ["get"] },
  parameters: z.object({ order_id: orderId }),
  errors: ["order_not_found"],
  responses: { 200: { description: "The order.", body: order } },
  example: { parameters: { order_id: "A-1001" } },
  async handler({ parameters }, { orders }, errors) {
    const found = await orders.get(parameters.order_id);
    if (!found) throw errors.order_not_found();
    return { status: 200, body: found };
  },
});
