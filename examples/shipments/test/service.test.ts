import { testService } from "integration-api/test";
import { api } from "../service.ts";

/** Requests that differ from the examples of the endpoints, by the response that they get. */
const requests = {
  "v1-list-shipments": { "200": { query: { status: "packed" } } },
  "v1-report-event": {
    "201": { records: { events: [] } },
    "409 wrong_status": { records: { events: [], shipments: [{ status: "delivered" }] } },
  },
};

testService(api, { requests });
