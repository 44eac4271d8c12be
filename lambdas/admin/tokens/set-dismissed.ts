import * as z from "zod/mini";
import type { Author } from "../../domain/history/change-entry.ts";
import { dismissedIn, maxDismissedAddresses } from "../../domain/tokens/dismissed-addresses.ts";
import type { TokenRecord, TokenStore } from "../../domain/tokens/token-store.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { editToken } from "./changed-token.ts";
import { ip, tokenId } from "./token-fields.ts";

/** A token and a wrong address. */
export const wrongAddress = z.strictObject({ token_id: tokenId, ip });

export const exampleAddress = { token_id: exampleToken.token_id, ip: "203.0.113.9" };

interface DismissedPlace extends z.output<typeof wrongAddress> {
  author: Author;
}

/** Dismisses or restores a wrong address of a token, and returns the token. Idempotent. */
export const setDismissed = (
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
