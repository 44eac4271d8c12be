import { type ApplicationDeclarations, endpointsWith, fields, jobsWith } from "integration-api";
import * as z from "zod/mini";
import { declared as customers } from "../customers/declared.ts";
import { eventsTable, shipmentId, shipmentsTable } from "./tables.ts";

export const shipment = shipmentsTable.schema;
export const byShipmentId = z.object({ shipment_id: shipmentId });

/** The address of the bucket with the labels. */
export const filesUrl = z.url().check(fields.example("https://files.example"));

/** The period of a list. */
export const period = {
  from: z.optional(fields.time("Only what is not before this time.")),
  to: z.optional(fields.time("Only what is not after this time.")),
};

/** What belongs to shipments besides their endpoints. */
export const declared = {
  tables: { ...customers.tables, events: eventsTable, shipments: shipmentsTable },
  errors: {
    ...customers.errors,
    carrier_failed: {
      status: 502,
      message: "The carrier did not respond as expected. Try again later.",
      when: "The carrier's system cannot be reached, or refuses the shipment.",
      solve: "Try again later. If the problem persists, report the `X-Request-Id` of the response.",
    },
    pickup_failed: {
      status: 503,
      headers: { "Retry-After": "1" },
      message: "The pickup could not be requested. Send the request again.",
      when: "The queue of the warehouse did not accept the request.",
      solve: "Send the request again.",
    },
    shipment_not_found: {
      status: 404,
      message: "There is no shipment with this shipment_id.",
      when: "No shipment of the token's customer has this `shipment_id`.",
      solve: "Check it, or list the customer's shipments.",
    },
    wrong_status: {
      status: 409,
      message: "The status of this shipment does not allow this. Read the shipment.",
      when: "A shipment that has left cannot be changed or deleted, and only a shipment on its way can be delivered.",
      solve: "Read the shipment, and decide by its `status`.",
    },
  },
} as const satisfies ApplicationDeclarations;

export const endpoint = endpointsWith(declared);
export const job = jobsWith(declared);
