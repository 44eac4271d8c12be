import { serveOptionsGuard } from "./serve-options-guard.ts";

export const handler = serveOptionsGuard();
