import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ValidationError } from "../../errors/api-error.ts";
import { maxDismissedAddresses } from "../../resources/tokens/dismissed-addresses.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { editDismissedAddresses } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const dismissLeak = action({
  contract: adminContract.dismiss_leak,
  summary:
    "Records that an admin recognises a wrong address from which a token's correct secret came. Calls from there are still refused, but are no leak signals any more, neither for this token nor for its successors.",
  uses: { tokens: ["find", "update"] },
  input: z.strictObject({ token_id: tokenId, ip }),
  example: { token_id: exampleToken.token_id, ip: "203.0.113.9" },
  async run({ token_id, ip }, { author, stores }) {
    const token = await editDismissedAddresses(stores.tokens, {
      token_id,
      note: { kind: "leak_dismissed", author, details: { ip } },
      edit: (addresses) => {
        if (addresses.some((address) => address.ip === ip)) return addresses;
        if (addresses.length >= maxDismissedAddresses) throw new ValidationError({ ip: [tooMany] });
        return [...addresses, { ip, dismissed_at: new Date().toISOString(), dismissed_by: author.by }];
      },
    });
    return tokenAnswer(token);
  },
});

const tooMany = `The ip cannot be dismissed: the token already has ${maxDismissedAddresses} dismissed addresses, which is the maximum. Rotate a token that is known in so many places.`;
