import * as z from "zod/mini";
import { job } from "./declared.ts";
import { newEvent, shipmentId } from "./tables.ts";

export const confirmPickup = job({
  summary: "Ships what the warehouse has handed over",
  event: z.object({ shipment_id: shipmentId, occurred_at: newEvent.shape.occurred_at }),
  uses: { shipments: ["update"], events: ["create"] },
  transaction: true,
  async handler({ event }, { transaction }) {
    const status = "shipped";
    // A message that arrives again changes nothing, because the shipment has left.
    await transaction(({ shipments, events }) => [
      shipments.update(event.shipment_id, { status }, { if: { status: ["created", "packed"] } }),
      events.create({ ...event, status }),
    ]);
  },
});
