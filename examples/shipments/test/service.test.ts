import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { testClients, testService } from "integration-api/test";
import { afterAll } from "vitest";
import { api } from "../service.ts";

/** Stands in for the carrier, the queue of pickups and the bucket. They reject one of the shipments. */
const others = createServer(async (request, response) => {
  const isRejected = [request.url, await text(request)].some((part) => part?.includes("S-404"));
  const position = { place: "Hamburg", seen_at: "2026-11-21T10:15:30.123Z" };
  response.writeHead(isRejected ? 404 : 200).end(JSON.stringify(position));
}).listen(0, "127.0.0.1");
await once(others, "listening");
afterAll(() => void others.close());
const url = `http://127.0.0.1:${Object(others.address()).port}`;
const settings = { carrier_url: url, pickups_url: url, files_url: url };

const otherClient = { "403 other_customer": { client: "globex" } };
const rejected = { parameters: { shipment_id: "S-404" }, records: { shipments: [{ shipment_id: "S-404" }] } };

/** Requests that differ from the examples of the endpoints, by the response that they get. */
const requests = {
  "job-confirm-pickup": { "a new event": { records: { events: [] } } },
  "v1-create-shipment": otherClient,
  "v1-list-customers": { "403 other_customer": { client: null } },
  "v1-list-shipment-changes": otherClient,
  "v1-put-customer": otherClient,
  "v1-list-shipments": { "200": { query: { status: "packed" } }, ...otherClient },
  "v1-report-event": {
    "201": { records: { events: [] } },
    "409 wrong_status": { records: { events: [], shipments: [{ status: "delivered" }] } },
  },
  "v1-request-pickup": { "503 pickup_failed": rejected },
  "v1-track-shipment": { "502 carrier_failed": rejected },
};

testService(api, { requests, settings });
testClients(api, { requests, settings, field: "customer_id" });
