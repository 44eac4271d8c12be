import { stores } from "#settings";
import * as tables from "#tables";
import { noticeSearch } from "../domain/function-uses.ts";
import { provingRights } from "../domain/prove-rights.ts";
import { usesWithin } from "../dynamodb/uses.ts";
import { serveNotices } from "./serve-notices.ts";

export const handler = provingRights(serveNotices({ existing: stores }), usesWithin(stores, noticeSearch), tables);
