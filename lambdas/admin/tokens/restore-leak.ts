import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { setDismissed } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const restoreLeak = action({
  contract: adminContract.restore_leak,
  summary:
    "Undoes dismiss_leak: calls with the token's correct secret from this address are leak signals again. An address that is not dismissed stays as it is.",
  uses: { tokens: ["find", "update"] },
  input: z.strictObject({ token_id: tokenId, ip }),
  example: { token_id: exampleToken.token_id, ip: "203.0.113.9" },
  async run(address, { author, stores }) {
    return tokenAnswer(await setDismissed(stores.tokens, { ...address, author }, false));
  },
});
