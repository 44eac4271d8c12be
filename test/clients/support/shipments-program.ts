import { exampleShipment } from "../../../tools/release/example.ts";

/** A program that uses the TypeScript client of the example. It loses the first response to each POST. */
export const shipmentsProgram = `
import { ApiFailure, type components, createIntegrationClient } from "my-shipments-client";

const lost = new Set<string>();
const client = createIntegrationClient({
  baseUrl: process.env.BASE_URL ?? "",
  token: process.env.TOKEN ?? "",
  retry: { wait: async () => {} },
  fetch: async (request, options) => {
    const response = await fetch(request, options);
    if (request.method === "POST" && lost.size < lost.add(request.url).size) throw new TypeError("fetch failed");
    return response;
  },
});
const body: components["schemas"]["CreateShipmentBody"] = ${JSON.stringify({ ...exampleShipment, shipment_id: "S-3", customer_id: "acme" })};
const statuses: number[] = [];
const onResponse = ({ status }: { status: number }) => void statuses.push(status);
const created = await client.POST("/api/v1/shipment", { body, onResponse });
const params = { path: { shipment_id: created.shipment_id } };
const path = "/api/v1/shipment/{shipment_id}";
const { note } = await client.PATCH(path, { params, body: { note: "Ring once." }, ifUnchanged: created });
const csv = await client.GET("/api/v1/shipment/{shipment_id}/packing-list", { params });
const shipments: string[] = [];
for await (const page of client.pages("/api/v1/customer/{customer_id}/shipment", { params: { path: { customer_id: "acme" }, query: { limit: 1 } } })) {
  shipments.push(...page.map(({ shipment_id }) => shipment_id));
}
const event = { occurred_at: "2026-11-21T10:15:30.123Z", status: "shipped" } as const;
await client.POST("/api/v1/shipment/{shipment_id}/event", { params, body: event });
const refused = await client.DELETE(path, { params }).then(
  () => undefined,
  (error: unknown) => (error instanceof ApiFailure && error.code === "wrong_status" ? error.code : String(error)),
);
console.log(JSON.stringify({ statuses, note, csv, shipments, refused }));
`;
