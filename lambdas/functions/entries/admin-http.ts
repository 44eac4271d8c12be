import { records, stores } from "#settings";
import { shownTables } from "../../admin/records/list-records.ts";
import { serviceActions } from "../../admin/service-actions.ts";
import { readUserPool } from "../../middlewares/verify-admin.ts";
import { serveAdminHttp } from "../serve-admin-http.ts";

export const handler = serveAdminHttp(serviceActions({ stores, records }), readUserPool(), {
  existing: stores,
  ownTables: shownTables(records),
});
