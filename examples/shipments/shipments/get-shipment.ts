import { versionOf } from "integration-api";
import { owns } from "../customers/owns.ts";
import { byShipmentId, endpoint, shipment } from "./declared.ts";

export const getShipment = endpoint({
  method: "GET",
  path: "/shipment/{shipment_id}",
  summary: "Read a shipment",
  description: "Returns the shipment with this `shipment_id`.",
  uses: { shipments: ["get"] },
  parameters: byShipmentId,
  errors: ["shipment_not_found"],
  responses: { 200: { description: "The shipment.", body: shipment, versioned: true } },
  async handler({ parameters, caller }, { shipments }, errors) {
    const record = await shipments.get(parameters.shipment_id);
    if (!record || !owns(caller, record)) throw errors.shipment_not_found();
    return { status: 200, body: record, version: versionOf(record) };
  },
});
