import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { setDismissed } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const dismissLeak = action({
  contract: adminContract.dismiss_leak,
  summary:
    "Records that an admin recognises a wrong address from which a token's correct secret came. Calls from there are still refused, but are no leak signals any more, neither for this token nor for its successors.",
  uses: { tokens: ["find", "update"] },
  input: z.strictObject({ token_id: tokenId, ip }),
  example: { token_id: exampleToken.token_id, ip: "203.0.113.9" },
  async run(address, { author, stores }) {
    return tokenAnswer(await setDismissed(stores.tokens, { ...address, author }, true));
  },
});
