import { records, stores } from "#settings";
import * as tables from "#tables";
import { usesOf } from "../declaration/action.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { usesWithin } from "../dynamodb/uses.ts";
import { shownTables } from "./records/list-records.ts";
import { serveAdmin } from "./serve-admin.ts";
import { serviceActions } from "./service-actions.ts";

const actions = serviceActions({ stores, records });
const applicationTables = shownTables(records);

export const handler = provingRights(
  serveAdmin(actions, { existing: stores, applicationTables }),
  usesWithin(stores, usesOf(actions)),
  { ...tables, ...applicationTables },
);
