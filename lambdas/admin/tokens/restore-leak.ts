import { action } from "../../declaration/action.ts";
import { adminContract } from "../contract.ts";
import { exampleAddress, setDismissed, wrongAddress } from "./set-dismissed.ts";
import { tokenResponse } from "./token-response.ts";

export const restoreLeak = action({
  contract: adminContract.restore_leak,
  summary:
    "Undoes dismiss_leak: calls with the token's correct secret from this address are leak signals again. An address that is not dismissed stays as it is.",
  uses: { tokens: ["find", "update"] },
  input: wrongAddress,
  example: exampleAddress,
  async run(address, { author, stores }) {
    return tokenResponse(await setDismissed(stores.tokens, { ...address, author }, false));
  },
});
