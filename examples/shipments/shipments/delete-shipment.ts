import { ownedBy, owns } from "../customers/owns.ts";
import { byShipmentId, endpoint } from "./declared.ts";

export const deleteShipment = endpoint({
  method: "DELETE",
  path: "/shipment/{shipment_id}",
  summary: "Delete a shipment",
  description: "Deletes a shipment that nobody has packed yet.",
  uses: { shipments: ["delete"] },
  parameters: byShipmentId,
  errors: ["shipment_not_found", "precondition_failed", "wrong_status"],
  responses: { 204: { description: "The shipment was deleted." } },
  async handler({ parameters, ifMatch, caller }, { shipments }, errors) {
    const requirements = { if: { ...ownedBy(caller), status: "created" }, ifMatch } as const;
    const { outcome, record } = await shipments.delete(parameters.shipment_id, requirements);
    if (record && !owns(caller, record)) throw errors.shipment_not_found();
    if (outcome === "deleted") return { status: 204 };
    const { shipment_not_found, precondition_failed, wrong_status } = errors;
    throw { "not found": shipment_not_found, changed: precondition_failed, refused: wrong_status }[outcome]();
  },
});
