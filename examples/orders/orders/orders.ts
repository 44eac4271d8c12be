import { resource } from "integration-api";
import { declared } from "./declared.ts";
import { getOrder } from "./get-order.ts";
import { listOrders } from "./list-orders.ts";
import { placeOrder } from "./place-order.ts";

export const orders = resource({
  ...declared,
  name: "orders",
  folder: import.meta.dirname,
  endpoints: { getOrder, listOrders, placeOrder },
  records: { orders: ["customer_id", "total_cents", "updated_at"] },
});
