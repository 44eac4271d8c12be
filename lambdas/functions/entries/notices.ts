import { serveNotices } from "../serve-notices.ts";

export const handler = serveNotices();
