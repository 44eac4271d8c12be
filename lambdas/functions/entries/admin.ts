import * as actions from "../../admin/actions.ts";
import { serveAdmin } from "../serve-admin.ts";

export const handler = serveAdmin(actions);
