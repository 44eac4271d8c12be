import { testClients, testService } from "integration-api/test";
import { api } from "../service.ts";

const others = { "403 other_customer": { client: "globex" } };

/** Requests that differ from the examples of the endpoints, by the response that they get. */
const requests = {
  "v1-create-shipment": others,
  "v1-list-customers": others,
  "v1-put-customer": others,
  "v1-list-shipments": { "200": { query: { status: "packed" } }, ...others },
  "v1-report-event": {
    "201": { records: { events: [] } },
    "409 wrong_status": { records: { events: [], shipments: [{ status: "delivered" }] } },
  },
};

testService(api, { requests });
testClients(api, { requests, field: "customer_id" });
