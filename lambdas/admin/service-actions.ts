import { type Actions, actionsFor } from "../declaration/action.ts";
import type { Service } from "../declaration/service.ts";
import type { ShownRecords } from "../declaration/shown-records.ts";
import * as actions from "./actions.ts";
import { recordActions } from "./records/list-records.ts";

/** What determines a service's actions: its stores, and what admins see of its records. */
export interface AdminSettings {
  stores: readonly string[];
  records: ShownRecords;
}

export const adminSettingsOf = ({ tables, records }: Pick<Service, "tables" | "records">): AdminSettings => ({
  stores: Object.keys(tables),
  records,
});

/** Returns all actions of a service. */
export const serviceActions = ({ stores, records }: AdminSettings): Actions =>
  actionsFor(stores, { ...actions, ...recordActions(records) });
