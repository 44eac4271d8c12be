import { awsClient } from "./aws-client.ts";
import { byShipmentId, filesUrl, job } from "./declared.ts";

/** Writes a label for the label printer. A label that exists already is written again. */
export const printLabel = job({
  summary: "Prints the label of a shipment",
  event: byShipmentId,
  uses: { shipments: ["get"] },
  settings: { files_url: filesUrl },
  async handler({ event: { shipment_id }, settings }, { shipments }) {
    const shipment = await shipments.get(shipment_id);
    if (!shipment) return;
    const { name, street, postal_code, city, country } = shipment.recipient;
    const body = [shipment_id, name, street, `${postal_code} ${city}`, country].join("\n");
    const file = `${settings.files_url}/labels/${encodeURIComponent(shipment_id)}`;
    const signal = AbortSignal.timeout(5_000);
    const response = await awsClient("s3").fetch(file, { method: "PUT", body, signal });
    if (!response.ok) throw new Error(`The bucket responded with ${response.status}.`);
  },
});
