import { versionOf } from "integration-api";
import { owns } from "../customers/owns.ts";
import { endpoint, shipment } from "./declared.ts";
import { newShipment } from "./tables.ts";

export const createShipment = endpoint({
  method: "POST",
  path: "/shipment",
  summary: "Create a shipment",
  description:
    "Stores a shipment under a `shipment_id` of your choice. It is safe to repeat a request whose response was lost.",
  uses: { shipments: ["create"], customers: ["get"] },
  json: newShipment,
  repeatable: true,
  errors: ["other_customer"],
  validationErrors: {
    taken: { shipment_id: ["The shipment_id has already been taken."] },
    unknown_customer: { customer_id: ["There is no such customer."] },
  },
  responses: {
    201: { description: "The shipment, created now or before.", body: shipment, location: true, versioned: true },
  },
  async handler({ json, caller }, { shipments, customers }, errors) {
    if (!owns(caller, json)) throw errors.other_customer();
    if (!(await customers.get(json.customer_id))) throw errors.unknown_customer();
    const { outcome, record } = await shipments.create({ ...json, status: "created" });
    if (outcome === "taken") throw errors.taken();
    return { status: 201, body: record, version: versionOf(record), location: `/shipment/${record.shipment_id}` };
  },
});
