import { records, stores } from "#settings";
import { shownTables } from "../../admin/records/list-records.ts";
import { serviceActions } from "../../admin/service-actions.ts";
import { usesOf } from "../../declaration/action.ts";
import { usesWithin } from "../../dynamodb/uses.ts";
import * as tables from "../../resources/tables.ts";
import { provingRights } from "../prove-rights.ts";
import { serveAdmin } from "../serve-admin.ts";

const actions = serviceActions({ stores, records });
const ownTables = shownTables(records);

export const handler = provingRights(
  serveAdmin(actions, { existing: stores, ownTables }),
  usesWithin(stores, usesOf(actions)),
  { ...tables, ...ownTables },
);
