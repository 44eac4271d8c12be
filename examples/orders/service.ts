import { service, tokens } from "integration-api";
import { customers } from "./customers/customers.ts";
import { orders } from "./orders/orders.ts";

/** The service: everything that is deployed, run locally and documented follows from it. */
export const shop = service({
  name: "Shop",
  title: "Shop API",
  guide: `${import.meta.dirname}/guide`,
  versions: { v1: [tokens, customers, orders] },
});
