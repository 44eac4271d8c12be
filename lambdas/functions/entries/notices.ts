import { stores } from "#settings";
import { serveNotices } from "../serve-notices.ts";

export const handler = serveNotices({ existing: stores });
