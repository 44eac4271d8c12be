import { stores } from "#settings";
import * as actions from "../../admin/actions.ts";
import { actionsFor } from "../../declaration/action.ts";
import { serveAdmin } from "../serve-admin.ts";

export const handler = serveAdmin(actionsFor(stores, actions), { existing: stores });
