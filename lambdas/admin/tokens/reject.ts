import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { decideRequest, exampleDecision, shownRequest } from "./decide-request.ts";
import { tokenResponse } from "./token-response.ts";

export const reject = action({
  contract: adminContract.reject,
  summary:
    "Rejects the address from which a client has called with its invitation, or to which it wants to move its token. Calls from there are rejected for up to 24 hours.",
  uses: { tokens: ["find", "request"] },
  input: shownRequest,
  example: exampleDecision,
  async run(shown, { author, stores }) {
    return tokenResponse(await decideRequest(stores.tokens, { ...shown, decision: "rejected", author }));
  },
});
