import { checks } from "#settings";
import { serveVersionCheck } from "./serve-version-check.ts";

export const handler = serveVersionCheck(checks);
