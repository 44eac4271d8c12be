import { records, stores } from "#settings";
import { shownTables } from "../../admin/records/list-records.ts";
import { serviceActions } from "../../admin/service-actions.ts";
import { serveAdmin } from "../serve-admin.ts";

export const handler = serveAdmin(serviceActions({ stores, records }), {
  existing: stores,
  ownTables: shownTables(records),
});
