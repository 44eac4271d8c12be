import { zoneName } from "./time.ts";

/** Says which time zone the times on a page are in. */
export const ZoneNote = () => <>Times are in {zoneName(new Date().toISOString())}.</>;
