import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { exampleAddress, setDismissed, wrongAddress } from "./set-dismissed.ts";
import { tokenResponse } from "./token-response.ts";

export const dismissLeak = action({
  contract: adminContract.dismiss_leak,
  summary:
    "Records that an admin recognises a wrong address from which a token's correct secret came. Calls from there are still refused, but are no leak signals any more, neither for this token nor for its successors.",
  uses: { tokens: ["find", "update"] },
  input: wrongAddress,
  example: exampleAddress,
  async run(address, { author, stores }) {
    return tokenResponse(await setDismissed(stores.tokens, { ...address, author }, true));
  },
});
