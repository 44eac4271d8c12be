import { serveUsage } from "../serve-usage.ts";

export const handler = serveUsage();
