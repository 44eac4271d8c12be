import { owns } from "../customers/owns.ts";
import { byShipmentId, endpoint } from "./declared.ts";

export const getPackingList = endpoint({
  method: "GET",
  path: "/shipment/{shipment_id}/packing-list",
  summary: "Download the packing list",
  description: "Returns the lines of the shipment as CSV (RFC 4180).",
  uses: { shipments: ["get"] },
  parameters: byShipmentId,
  errors: ["shipment_not_found"],
  responses: { 200: { description: "The packing list.", media: "text/csv", fileName: "packing-list.csv" } },
  async handler({ parameters, caller }, { shipments }, errors) {
    const shipment = await shipments.get(parameters.shipment_id);
    if (!shipment || !owns(caller, shipment)) throw errors.shipment_not_found();
    const rows = shipment.lines.map(({ sku, quantity, fragile }) => `${sku},${quantity},${fragile ? "fragile" : ""}`);
    return { status: 200, body: ["sku,quantity,handling", ...rows, ""].join("\r\n") };
  },
});
