import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { decideRequest, exampleDecision, shownRequest } from "./decide-request.ts";
import { tokenResponse } from "./token-response.ts";

export const confirm = action({
  contract: adminContract.confirm,
  summary:
    "Confirms the address from which a client has called with its invitation, or to which it wants to move its token. Compare the code with the one that the client's operator sees, and send exactly the address and the code that were shown.",
  uses: { tokens: ["find", "request"] },
  input: shownRequest,
  example: exampleDecision,
  async run(shown, { author, stores }) {
    return tokenResponse(await decideRequest(stores.tokens, { ...shown, decision: "confirmed", author }));
  },
});
