import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { editDismissedAddresses } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const restoreLeak = action({
  contract: adminContract.restore_leak,
  summary:
    "Undoes dismiss_leak: calls with the token's correct secret from this address are leak signals again. An address that is not dismissed stays as it is.",
  uses: { tokens: ["find", "update"] },
  input: z.strictObject({ token_id: tokenId, ip }),
  example: { token_id: exampleToken.token_id, ip: "203.0.113.9" },
  async run({ token_id, ip }, { author, stores }) {
    const token = await editDismissedAddresses(stores.tokens, {
      token_id,
      note: { kind: "leak_restored", author, details: { ip } },
      edit: (addresses) => {
        const remaining = addresses.filter((address) => address.ip !== ip);
        return remaining.length === addresses.length ? addresses : remaining;
      },
    });
    return tokenAnswer(token);
  },
});
