import { stores } from "#settings";
import { usesWithin } from "../../dynamodb/uses.ts";
import * as tables from "../../resources/tables.ts";
import { noticeSearch } from "../../resources/uses.ts";
import { provingRights } from "../prove-rights.ts";
import { serveNotices } from "../serve-notices.ts";

export const handler = provingRights(serveNotices({ existing: stores }), usesWithin(stores, noticeSearch), tables);
