import { ownedBy, owns } from "../customers/owns.ts";
import { byShipmentId, endpoint } from "./declared.ts";
import { eventsTable, newEvent } from "./tables.ts";

/** The statuses that a shipment may have before each event. */
const before = { packed: ["created"], shipped: ["created", "packed"], delivered: ["shipped"] } as const;

export const reportEvent = endpoint({
  method: "POST",
  path: "/shipment/{shipment_id}/event",
  summary: "Report an event",
  description: "Stores an event and gives the shipment its status, both or neither. It is safe to repeat a request.",
  uses: { shipments: ["update"], events: ["create"] },
  transaction: true,
  parameters: byShipmentId,
  json: newEvent,
  repeatable: true,
  errors: ["shipment_not_found", "wrong_status"],
  validationErrors: { taken: { occurred_at: ["Another event happened at this time."] } },
  responses: { 201: { description: "The event, stored now or before.", body: eventsTable.schema } },
  async handler({ parameters: { shipment_id }, json, caller }, { transaction }, errors) {
    const requirements = { if: { ...ownedBy(caller), status: before[json.status] } };
    const { results } = await transaction(({ shipments, events }) => [
      shipments.update(shipment_id, { status: json.status }, requirements),
      events.create({ shipment_id, ...json }),
    ]);
    const [shipment, event] = results;
    if (shipment?.record && !owns(caller, shipment.record)) throw errors.shipment_not_found();
    if (event?.outcome === "taken") throw errors.taken();
    if (event) return { status: 201, body: event.record };
    throw shipment?.outcome === "not found" ? errors.shipment_not_found() : errors.wrong_status();
  },
});
