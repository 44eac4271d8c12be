import * as z from "zod/mini";
import { owns } from "../customers/owns.ts";
import { awsClient } from "./aws-client.ts";
import { byShipmentId, endpoint, filesUrl } from "./declared.ts";

const link = z.object({
  url: z.url().check(z.meta({ readOnly: true, examples: ["https://files.example/labels/S-1001"] })),
});

export const getLabel = endpoint({
  method: "GET",
  path: "/shipment/{shipment_id}/label",
  summary: "Get the label",
  description:
    "Returns a link to the label, which works for five minutes. A new shipment gets its label within a minute.",
  uses: { shipments: ["get"] },
  settings: { files_url: filesUrl },
  parameters: byShipmentId,
  errors: ["shipment_not_found"],
  responses: { 200: { description: "The link.", body: link } },
  async handler({ parameters, settings, caller }, { shipments }, errors) {
    const shipment = await shipments.get(parameters.shipment_id);
    if (!shipment || !owns(caller, shipment)) throw errors.shipment_not_found();
    const file = `${settings.files_url}/labels/${encodeURIComponent(parameters.shipment_id)}?X-Amz-Expires=300`;
    const { url } = await awsClient("s3").sign(file, { aws: { signQuery: true } });
    return { status: 200, body: { url } };
  },
});
