import { callHandler, callJob } from "integration-api/test";
import { expect, test } from "vitest";
import { api } from "../service.ts";
import { changeShipment } from "../shipments/change-shipment.ts";
import { confirmPickup } from "../shipments/confirm-pickup.ts";
import { reportEvent } from "../shipments/report-event.ts";

const records = { shipments: [{ status: "shipped" }] };

test("does not change shipments that have left", async () => {
  const change = callHandler(api, changeShipment, { json: { note: "Ring twice." }, records });
  await expect(change).rejects.toMatchObject({ status: 409, code: "wrong_status" });
});

test("delivers a shipment with its event", async () => {
  const json = { occurred_at: "2026-11-21T10:15:30.123Z", status: "delivered" } as const;
  const { records: left } = await callHandler(api, reportEvent, { json, records });
  expect(left).toMatchObject({ shipments: [{ status: "delivered" }], events: [json] });
});

test("ships a shipment once, after the warehouse has handed it over", async () => {
  const event = { shipment_id: "S-1001", occurred_at: "2026-11-21T10:15:30.123Z" };
  const left = await callJob(confirmPickup, { event, records: { shipments: [{ status: "packed" }] } });
  expect(left).toMatchObject({ shipments: [{ status: "shipped" }], events: [{ ...event, status: "shipped" }] });
  expect(await callJob(confirmPickup, { event, records: left })).toEqual(left);
});
