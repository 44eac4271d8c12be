import { pageQuery } from "integration-api";
import * as z from "zod/mini";
import { endpoint, order, ordersTable } from "./declared.ts";

export const listOrders = endpoint({
  method: "GET",
  path: "/order",
  summary: "List orders",
  description: "Returns a page of orders, in no particular order.",
  uses: { orders: ["list"] },
  query: pageQuery(ordersTable),
  responses: { 200: { description: "A page of orders.", body: z.array(order), paged: true } },
  example: {},
  async handler({ query }, { orders }) {
    const { records, next } = await orders.list(query);
    return { status: 200, body: records, next };
  },
});
