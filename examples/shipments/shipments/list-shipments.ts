import { pageQuery } from "integration-api";
import * as z from "zod/mini";
import { customerId } from "../customers/declared.ts";
import { owns } from "../customers/owns.ts";
import { endpoint, period, shipment } from "./declared.ts";
import { shipmentsTable } from "./tables.ts";

export const listShipments = endpoint({
  method: "GET",
  path: "/customer/{customer_id}/shipment",
  summary: "List a customer's shipments",
  description: "Returns a page of the customer's shipments, newest first: all of them, or those with one `status`.",
  uses: { shipments: ["byCustomer", "byCustomerStatus"] },
  parameters: z.object({ customer_id: customerId }),
  query: z.extend(pageQuery(shipmentsTable, "byCustomer", "byCustomerStatus"), {
    ...period,
    status: z.optional(shipment.shape.status),
  }),
  errors: ["other_customer"],
  responses: { 200: { description: "A page of shipments.", body: z.array(shipment), paged: true } },
  async handler({ parameters: { customer_id }, query: { status, ...page }, caller }, { shipments }, errors) {
    if (!owns(caller, { customer_id })) throw errors.other_customer();
    const newestFirst = { ...page, order: "descending" } as const;
    const { records, next } =
      status === undefined
        ? await shipments.byCustomer({ customer_id }, newestFirst)
        : await shipments.byCustomerStatus({ customer_id, status }, newestFirst);
    return { status: 200, body: records, next };
  },
});
