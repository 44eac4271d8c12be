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
  async handler({ parameters, ifMatch }, { shipments }, errors) {
    const { outcome } = await shipments.delete(parameters.shipment_id, { if: { status: "created" }, ifMatch });
    if (outcome === "deleted") return { status: 204 };
    const { shipment_not_found, precondition_failed, wrong_status } = errors;
    throw { "not found": shipment_not_found, changed: precondition_failed, refused: wrong_status }[outcome]();
  },
});
