import { fields } from "integration-api";
import * as z from "zod/mini";
import { owns } from "../customers/owns.ts";
import { byShipmentId, endpoint } from "./declared.ts";

const position = z.object({
  place: fields.text({ min: 1, max: 100 }).check(fields.example("Hamburg")),
  seen_at: fields.time("When the carrier saw it there."),
});

export const trackShipment = endpoint({
  method: "GET",
  path: "/shipment/{shipment_id}/position",
  summary: "Track a shipment",
  description: "Returns where the carrier last saw the shipment.",
  uses: { shipments: ["get"] },
  parameters: byShipmentId,
  settings: { carrier_url: z._default(z.url(), "https://api.carrier.example") },
  secrets: { carrier_key: fields.text({ min: 20, max: 200 }).check(fields.example("a-key-of-the-carriers-sandbox")) },
  errors: ["shipment_not_found", "carrier_failed"],
  responses: { 200: { description: "The position.", body: position } },
  async handler({ parameters: { shipment_id }, caller, settings, secrets }, { shipments }, errors) {
    const shipment = await shipments.get(shipment_id);
    if (!shipment || !owns(caller, shipment)) throw errors.shipment_not_found();
    try {
      const response = await fetch(new URL(`/position/${shipment_id}`, settings.carrier_url), {
        headers: { authorization: `Bearer ${secrets.carrier_key}` },
        signal: AbortSignal.timeout(5_000),
      });
      if (!response.ok) throw new Error(`The carrier responded with ${response.status}.`);
      return { status: 200, body: position.parse(await response.json()) };
    } catch (cause) {
      throw errors.carrier_failed({ cause });
    }
  },
});
