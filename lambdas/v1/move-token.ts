import { endpoint } from "../declaration/endpoint.ts";
import { moveToken as move } from "../domain/tokens/by-client/client-succession.ts";
import { issued, requested, responseTo } from "./responses/token.ts";

export const moveToken = endpoint({
  method: "POST",
  path: "/token/move",
  summary: "Move your token to another address",
  description:
    "Moves the token to the address that this call comes from. An admin has to confirm the address. Until then, the response is `202` with a code. Within 15 minutes of the confirmation, repeat the call: it returns a successor for the new address, and the old token stops working. If the response is lost, repeat the call from the same address: it returns the same token until the successor is first used, for at most 15 minutes.",
  credential: "secret",
  uses: { tokens: ["find", "insert", "request", "rotate", "settle", "revoke"] },
  errors: [
    "token_expired",
    "token_revoked",
    "ip_not_allowed",
    "request_rejected",
    "token_already_rotated",
    "move_not_needed",
    "too_many_requests",
  ],
  responses: { 201: issued, 202: requested },
  example: { from: "203.0.113.50" },
  async handler({ caller }, { tokens }, errors) {
    return responseTo(await move(caller, tokens), errors);
  },
});
