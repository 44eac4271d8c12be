import { pageQuery } from "integration-api";
import * as z from "zod/mini";
import { owns } from "../customers/owns.ts";
import { byShipmentId, endpoint, period } from "./declared.ts";
import { eventsTable } from "./tables.ts";

export const listEvents = endpoint({
  method: "GET",
  path: "/shipment/{shipment_id}/event",
  summary: "List the events of a shipment",
  description: "Returns a page of what has happened to the shipment, newest first.",
  uses: { shipments: ["get"], events: ["query"] },
  parameters: byShipmentId,
  query: z.extend(pageQuery(eventsTable, "query"), period),
  errors: ["shipment_not_found"],
  responses: { 200: { description: "A page of events.", body: z.array(eventsTable.schema), paged: true } },
  async handler({ parameters, query, caller }, { shipments, events }, errors) {
    const shipment = await shipments.get(parameters.shipment_id);
    if (!shipment || !owns(caller, shipment)) throw errors.shipment_not_found();
    const { records, next } = await events.query(parameters.shipment_id, { ...query, order: "descending" });
    return { status: 200, body: records, next };
  },
});
