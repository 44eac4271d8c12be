import { fields } from "integration-api";
import * as z from "zod/mini";
import { owns } from "../customers/owns.ts";
import { awsClient } from "./aws-client.ts";
import { byShipmentId, endpoint } from "./declared.ts";

export const requestPickup = endpoint({
  method: "POST",
  path: "/shipment/{shipment_id}/pickup",
  summary: "Request a pickup",
  description: "Asks the warehouse to hand the shipment over. The warehouse ignores repeated requests.",
  uses: { shipments: ["get"] },
  settings: {
    pickups_url: z.url().check(fields.example("https://sqs.eu-central-1.amazonaws.com/123456789012/Pickups")),
  },
  parameters: byShipmentId,
  repeatable: true,
  errors: ["shipment_not_found", "pickup_failed"],
  responses: { 204: { description: "The warehouse will see the request." } },
  async handler({ parameters: { shipment_id }, caller, settings }, { shipments }, errors) {
    const shipment = await shipments.get(shipment_id);
    if (!shipment || !owns(caller, shipment)) throw errors.shipment_not_found();
    const message = { QueueUrl: settings.pickups_url, MessageBody: JSON.stringify({ shipment_id }) };
    try {
      const response = await awsClient("sqs").fetch(new URL("/", settings.pickups_url).href, {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.SendMessage" },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(5_000),
      });
      if (!response.ok) throw new Error(`The queue responded with ${response.status}.`);
      return { status: 204 };
    } catch (cause) {
      throw errors.pickup_failed({ cause });
    }
  },
});
