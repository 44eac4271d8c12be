import { pages } from "#settings";
import { serveSite } from "../site/serve-site.ts";

// The bundle is a CommonJS module. The files that it serves are next to it.
export const handler = serveSite(__dirname, { pages });
