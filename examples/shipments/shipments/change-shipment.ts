import { patchOf, versionOf } from "integration-api";
import { ownedBy, owns } from "../customers/owns.ts";
import { byShipmentId, endpoint, shipment } from "./declared.ts";
import { contents } from "./tables.ts";

export const changeShipment = endpoint({
  method: "PATCH",
  path: "/shipment/{shipment_id}",
  summary: "Change a shipment",
  description: "Changes what the request contains, until the shipment leaves. `null` removes the `note`.",
  uses: { shipments: ["update"] },
  parameters: byShipmentId,
  json: patchOf(contents),
  errors: ["shipment_not_found", "precondition_failed", "wrong_status"],
  responses: { 200: { description: "The shipment as it is now.", body: shipment, versioned: true } },
  async handler({ parameters, json, ifMatch, caller }, { shipments }, errors) {
    const requirements = { if: { ...ownedBy(caller), status: ["created", "packed"] }, ifMatch } as const;
    const { outcome, record } = await shipments.update(parameters.shipment_id, json, requirements);
    if (record && !owns(caller, record)) throw errors.shipment_not_found();
    if (outcome === "updated") return { status: 200, body: record, version: versionOf(record) };
    const { shipment_not_found, precondition_failed, wrong_status } = errors;
    throw { "not found": shipment_not_found, changed: precondition_failed, refused: wrong_status }[outcome]();
  },
});
