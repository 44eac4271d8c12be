import { expiringAt } from "../resources/tokens/expiring.ts";
import type { Middleware } from "./request.ts";

/** Tells the holder of a token that ends within 30 days, in every response, when it ends and how to rotate it. */
export const announceExpiry = (): Middleware => ({
  before: ({ event }) => {
    const expiring = event.caller && expiringAt(event.caller.token, Date.now());
    if (!expiring) return;
    event.answerHeaders = {
      ...event.answerHeaders,
      "X-Token-Expires-At": expiring.expires_at,
      ...(expiring.rotation !== null && { "X-Token-Rotation": expiring.rotation }),
    };
  },
});
