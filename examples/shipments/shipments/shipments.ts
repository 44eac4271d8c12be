import { resource } from "integration-api";
import { changeShipment } from "./change-shipment.ts";
import { confirmPickup } from "./confirm-pickup.ts";
import { createShipment } from "./create-shipment.ts";
import { declared } from "./declared.ts";
import { deleteShipment } from "./delete-shipment.ts";
import { getLabel } from "./get-label.ts";
import { getPackingList } from "./get-packing-list.ts";
import { getShipment } from "./get-shipment.ts";
import { listEvents } from "./list-events.ts";
import { listShipmentChanges } from "./list-shipment-changes.ts";
import { listShipments } from "./list-shipments.ts";
import { printLabel } from "./print-label.ts";
import { reportEvent } from "./report-event.ts";
import { requestPickup } from "./request-pickup.ts";
import { trackShipment } from "./track-shipment.ts";

const reading = {
  getLabel,
  getPackingList,
  getShipment,
  listEvents,
  listShipmentChanges,
  listShipments,
  trackShipment,
};

export const shipments = resource({
  ...declared,
  name: "shipments",
  folder: import.meta.dirname,
  endpoints: { changeShipment, createShipment, deleteShipment, reportEvent, requestPickup, ...reading },
  jobs: { confirmPickup, printLabel },
  records: { shipments: ["customer_id", "status", "recipient", "weight_kg", "deliver_on", "updated_at"] },
});
