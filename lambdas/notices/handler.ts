import { stores } from "#settings";
import * as tables from "#tables";
import { provingRights } from "../domain/prove-rights.ts";
import { noticeSearch } from "../domain/uses.ts";
import { usesWithin } from "../dynamodb/uses.ts";
import { serveNotices } from "./serve-notices.ts";

export const handler = provingRights(serveNotices({ existing: stores }), usesWithin(stores, noticeSearch), tables);
