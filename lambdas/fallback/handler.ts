import { pathMethods, versionHeaders } from "#settings";
import { serveFallback } from "./serve-fallback.ts";

export const handler = serveFallback(pathMethods, versionHeaders);
