import { changesOf, changesQuery } from "integration-api";
import * as z from "zod/mini";
import { customerId } from "../customers/declared.ts";
import { owns } from "../customers/owns.ts";
import { endpoint } from "./declared.ts";
import { shipmentsTable } from "./tables.ts";

export const listShipmentChanges = endpoint({
  method: "GET",
  path: "/customer/{customer_id}/shipment/changes",
  summary: "Follow the changes of a customer's shipments",
  description:
    "Returns a page of what has changed since `cursor`, or begins a copy of all shipments. Store the `cursor` of each page that you have applied.",
  uses: { shipments: ["changes"] },
  parameters: z.object({ customer_id: customerId }),
  query: changesQuery(shipmentsTable),
  errors: ["cursor_expired", "other_customer"],
  responses: { 200: { description: "A page of changes.", body: changesOf(shipmentsTable) } },
  async handler({ parameters, query, caller }, { shipments }, errors) {
    if (!owns(caller, parameters)) throw errors.other_customer();
    const page = await shipments.changes(parameters, query);
    if (!page) throw errors.cursor_expired();
    return { status: 200, body: page };
  },
});
