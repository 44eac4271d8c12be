import { pages } from "#settings";
import { serveSite } from "../site/serve-site.ts";

// The bundle is a CommonJS module, and the files that it serves are beside it.
export const handler = serveSite(__dirname, { pages });
