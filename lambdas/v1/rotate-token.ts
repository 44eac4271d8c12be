import * as z from "zod/mini";
import { endpoint } from "../declaration/endpoint.ts";
import { rotateOwnToken } from "../domain/tokens/by-client/client-succession.ts";
import { longestGraceSeconds } from "../domain/tokens/token-limits.ts";
import { sentWholeNumber } from "../shared/validation/fields.ts";
import { issuedResponse, rotated } from "./responses/token.ts";

export const rotateToken = endpoint({
  method: "POST",
  path: "/token/rotation",
  summary: "Rotate your token",
  description:
    "Returns a successor with the same address, limit and lifetime. This token stops working after `grace_seconds`. If the response is lost, repeat the call from the same address: it returns the same token until the successor is first used, for at most 15 minutes, even if this token no longer works. If you repeat the call with a shorter `grace_seconds`, this token stops working sooner. A longer one has no effect.",
  credential: "secret",
  uses: { tokens: ["find", "insert", "rotate", "settle", "revoke"] },
  form: z.object({
    grace_seconds: sentWholeNumber({
      min: 0,
      max: longestGraceSeconds,
      description: "How long this token keeps working, in seconds.",
    }),
  }),
  errors: ["token_expired", "token_revoked", "ip_not_allowed", "token_already_rotated"],
  responses: { 201: rotated },
  example: { form: { grace_seconds: "3600" } },
  async handler({ caller, form }, { tokens }, errors) {
    const change = await rotateOwnToken(caller, form.grace_seconds, tokens);
    if (change.outcome === "refused") throw errors[change.code](change.options);
    const { status, body } = issuedResponse(change);
    return { status, body: { ...body, old_token_expires_at: change.oldEndsAt } };
  },
});
