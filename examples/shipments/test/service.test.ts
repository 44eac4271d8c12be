import { once } from "node:events";
import { createServer } from "node:http";
import { testClients, testService } from "integration-api/test";
import { afterAll } from "vitest";
import { api } from "../service.ts";

/** Stands in for the carrier, which does not know one of the shipments. */
const carrier = createServer((request, response) => {
  const position = { place: "Hamburg", seen_at: "2026-11-21T10:15:30.123Z" };
  response.writeHead(request.url === "/position/S-404" ? 404 : 200).end(JSON.stringify(position));
}).listen(0, "127.0.0.1");
await once(carrier, "listening");
afterAll(() => void carrier.close());
const settings = { carrier_url: `http://127.0.0.1:${Object(carrier.address()).port}` };

const others = { "403 other_customer": { client: "globex" } };

/** Requests that differ from the examples of the endpoints, by the response that they get. */
const requests = {
  "v1-create-shipment": others,
  "v1-list-customers": others,
  "v1-list-shipment-changes": others,
  "v1-put-customer": others,
  "v1-list-shipments": { "200": { query: { status: "packed" } }, ...others },
  "v1-report-event": {
    "201": { records: { events: [] } },
    "409 wrong_status": { records: { events: [], shipments: [{ status: "delivered" }] } },
  },
  "v1-track-shipment": {
    "502 carrier_failed": {
      parameters: { shipment_id: "S-404" },
      records: { shipments: [{ shipment_id: "S-404" }] },
    },
  },
};

testService(api, { requests, settings });
testClients(api, { requests, settings, field: "customer_id" });
