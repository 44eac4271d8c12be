import { endpoint } from "../declaration/endpoint.ts";
import { redeemInvitation as redeem } from "../domain/tokens/by-client/redemption.ts";
import { issued, requested, responseTo } from "./responses/token.ts";

export const redeemInvitation = endpoint({
  method: "POST",
  path: "/token",
  summary: "Redeem an invitation",
  description:
    "Exchanges an invitation, which you send in `X-Token`, for an access token. An invitation works once. If it is not for a certain address, an admin has to confirm your address. Until then, the response is `202` with a code. If the response is lost, repeat the call from the same address: it returns the same token until the token is first used, for at most 15 minutes.",
  credential: "invitation",
  uses: { tokens: ["redeem", "request"] },
  errors: [
    "invitation_expired",
    "invitation_revoked",
    "invitation_used",
    "ip_not_allowed",
    "request_rejected",
    "too_many_requests",
  ],
  responses: { 201: issued, 202: requested },
  example: {},
  async handler({ caller }, { tokens }, errors) {
    return responseTo(await redeem(caller, tokens), errors);
  },
});
