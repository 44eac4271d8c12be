import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ValidationError } from "../../errors/api-error.ts";
import type { Author } from "../../resources/history/change-entry.ts";
import { dismissedIn, maxDismissedAddresses } from "../../resources/tokens/dismissed-addresses.ts";
import type { TokenRecord, TokenStore } from "../../resources/tokens/token-store.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { editToken } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

const uses = { tokens: ["find", "update"] } as const;
const input = z.strictObject({ token_id: tokenId, ip });
const example = { token_id: exampleToken.token_id, ip: "203.0.113.9" };

export const dismissLeak = action({
  contract: adminContract.dismiss_leak,
  summary:
    "Records that an admin recognises a wrong address from which a token's correct secret came. Calls from there are still refused, but are no leak signals any more, neither for this token nor for its successors.",
  uses,
  input,
  example,
  async run(address, { author, stores }) {
    return tokenAnswer(await setDismissed(stores.tokens, { ...address, author }, true));
  },
});

export const restoreLeak = action({
  contract: adminContract.restore_leak,
  summary:
    "Undoes dismiss_leak: calls with the token's correct secret from this address are leak signals again. An address that is not dismissed stays as it is.",
  uses,
  input,
  example,
  async run(address, { author, stores }) {
    return tokenAnswer(await setDismissed(stores.tokens, { ...address, author }, false));
  },
});

interface DismissedPlace {
  token_id: string;
  ip: string;
  author: Author;
}

/** Dismisses a wrong address of a token or restores it, and returns the token. An address that is so already stays as it is. */
const setDismissed = (
  tokens: Pick<TokenStore, "find" | "update">,
  { token_id, ip, author }: DismissedPlace,
  isDismissed: boolean,
): Promise<TokenRecord> =>
  editToken(tokens, {
    token_id,
    note: { kind: isDismissed ? "leak_dismissed" : "leak_restored", author, details: { ip } },
    edit: (seen) => {
      const before = dismissedIn(seen);
      if (before.some((address) => address.ip === ip) === isDismissed) return undefined;
      if (isDismissed && before.length >= maxDismissedAddresses) throw new ValidationError({ ip: [tooMany] });
      const after = isDismissed
        ? [...before, { ip, dismissed_at: new Date().toISOString(), dismissed_by: author.by }]
        : before.filter((address) => address.ip !== ip);
      return { dismissed_addresses: after.length === 0 ? null : JSON.stringify(after) };
    },
  });

const tooMany = `The ip cannot be dismissed: the token already has ${maxDismissedAddresses} dismissed addresses, which is the maximum. Rotate a token that is known in so many places.`;
