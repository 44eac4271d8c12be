import { records, stores } from "#settings";
import { shownTables } from "../../admin/records/list-records.ts";
import { serviceActions } from "../../admin/service-actions.ts";
import { usesOf } from "../../declaration/action.ts";
import { usesWithin } from "../../dynamodb/uses.ts";
import { readUserPool } from "../../middlewares/verify-admin.ts";
import * as tables from "../../resources/tables.ts";
import { provingRights } from "../prove-rights.ts";
import { serveAdminHttp } from "../serve-admin-http.ts";

const actions = serviceActions({ stores, records });
const ownTables = shownTables(records);

export const handler = provingRights(
  serveAdminHttp(actions, readUserPool(), { existing: stores, ownTables }),
  usesWithin(stores, usesOf(actions)),
  { ...tables, ...ownTables },
);
